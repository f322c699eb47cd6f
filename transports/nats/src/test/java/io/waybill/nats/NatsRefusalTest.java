package io.waybill.nats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nats.client.api.DiscardPolicy;
import io.nats.client.api.StreamConfiguration;
import io.waybill.WaybillException;
import io.waybill.testkit.transport.BreakableNats;
import io.waybill.testkit.transport.Result;
import io.waybill.transport.Failure.Kind;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Messages that JetStream rejects, and how each rejection is reported. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NatsRefusalTest {
    private static final Duration LIMIT = Duration.ofMinutes(4);

    @TempDir
    static Path folder;

    private BreakableNats nats;

    BreakableNats startBroker() {
        return new BreakableNats(folder, NatsTransportTest::connect);
    }

    @BeforeAll
    void start() {
        nats = startBroker();
    }

    @AfterAll
    void stop() {
        if (nats != null) {
            nats.close();
        }
    }

    @Test
    void aSubjectThatTheStreamDoesNotAcceptFailsItsOwnEventsOnly() {
        create(StreamConfiguration.builder().name("narrow").subjects("narrow.orders"));
        try (Transport transport = transport("narrow")) {
            Result refused = send(transport, "mails", "1");
            send(transport, "orders", "1").assertAcknowledged(LIMIT);
            assertThat(refused.assertFailed(Kind.DESTINATION, LIMIT).reason()).contains("narrow.mails", "subjects");
        }
    }

    @Test
    void aFullStreamIsAnOutageUntilThereIsRoom() {
        create(StreamConfiguration.builder()
                .name("small")
                .subjects("small.>")
                .maxMessages(1)
                .discardPolicy(DiscardPolicy.New));
        try (Transport transport = transport("small")) {
            send(transport, "orders", "1").assertAcknowledged(LIMIT);
            Result refused = send(transport, "orders", "2");
            assertThat(refused.assertFailed(Kind.OUTAGE, LIMIT).reason()).contains("maximum messages exceeded");
            transport.probe();
            nats.with(connection -> connection.jetStreamManagement().purgeStream("small"));
            Result again = new Result(refused.message());
            transport.send(again.message(), again);
            again.assertAcknowledged(LIMIT);
        }
    }

    @Test
    void theStreamIsCreatedAndDescribed() {
        try (NatsTransport transport = NatsTransport.to(nats.address())) {
            transport.probe();
            NatsDiagnosis diagnosis = transport.diagnose();
            assertThat(diagnosis.onDisk()).isTrue();
            assertThat(diagnosis.replicas()).isEqualTo(1);
            assertThat(diagnosis.maxPayload()).isEqualTo(BreakableNats.SIZE_LIMIT);
            assertThat(diagnosis.takes("order.placed")).isTrue();
        }
        assertThatThrownBy(() ->
                        NatsTransport.builder(nats.address()).stream("no.dots").build())
                .isInstanceOf(WaybillException.class)
                .hasMessageContaining("no.dots");
    }

    @Test
    void whenOneServerIsDownTheNextOneIsTried() {
        String servers = nats.address().replace("127.0.0.1", "127.0.0.1:1,127.0.0.1");
        try (Transport cluster = NatsTransport.to(servers)) {
            cluster.probe();
            send(cluster, "orders", "found").assertAcknowledged(LIMIT);
        }
    }

    private void create(StreamConfiguration.Builder stream) {
        nats.with(connection -> connection.jetStreamManagement().addStream(stream.build()));
    }

    private Transport transport(String stream) {
        return NatsTransport.builder(nats.address()).stream(stream).build();
    }

    private static Result send(Transport transport, String topic, String body) {
        Result result = new Result(new Message(UUID.randomUUID(), topic, "key", body.getBytes(UTF_8), Map.of()));
        transport.send(result.message(), result);
        return result;
    }
}
