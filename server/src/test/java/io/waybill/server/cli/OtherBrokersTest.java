package io.waybill.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.nats.client.JetStreamSubscription;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.waybill.server.cli.Waybill.Result;
import io.waybill.testkit.servers.SharedServers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands with RabbitMQ and NATS. */
class OtherBrokersTest {
    @TempDir
    private Path folder;

    private Waybill waybill;

    @BeforeEach
    void anEventWaits() {
        waybill = new Waybill(folder).with("WAYBILL_DATABASE_URL", SharedServers.freshDatabase());
        assertThat(waybill.run("schema", "apply").exit()).isZero();
        Result appended = waybill.run(
                "append",
                "--type",
                "order.placed",
                "--aggregate-type",
                "Order",
                "--key",
                "42",
                "--payload",
                "{\"n\":1}");
        assertThat(appended.exit()).as(appended.err()).isZero();
    }

    @Test
    void rabbitMq() throws Exception {
        int port = SharedServers.rabbit().port();
        waybill.with("WAYBILL_BROKER_URL", "rabbitmq://guest:guest@127.0.0.1:" + port);
        ConnectionFactory factory = new ConnectionFactory();
        factory.setPort(port);
        try (Connection connection = factory.newConnection();
                Channel channel = connection.createChannel()) {
            channel.exchangeDeclare("waybill", "topic", true);
            String queue = channel.queueDeclare().getQueue();
            channel.queueBind(queue, "waybill", "order.*");

            Result relayed = waybill.run("relay", "--once");

            assertThat(relayed.out()).as(relayed.err()).contains("Published 1 event.");
            GetResponse received = channel.basicGet(queue, true);
            assertThat(new String(received.getBody(), StandardCharsets.UTF_8)).contains("\"data\":{\"n\":1}");
            assertThat(received.getProps().getType()).isEqualTo("order.placed");
        }
        Result doctor =
                waybill.run("doctor", "--topic", "order.placed", "--broker-setting", "management=http://127.0.0.1:1");
        assertThat(doctor.exit()).as(doctor.out()).isZero();
        assertThat(doctor.out())
                .containsPattern("ok +broker +RabbitMQ at 127.0.0.1:" + port)
                .containsPattern("warn +queues")
                .contains("rabbitmq_management");
    }

    @Test
    void nats() throws Exception {
        String url = "nats://127.0.0.1:" + SharedServers.nats().port();
        waybill.with("WAYBILL_BROKER_URL", url);

        Result relayed = waybill.run("relay", "--once");

        assertThat(relayed.out()).as(relayed.err()).contains("Published 1 event.");
        io.nats.client.Connection connection = Nats.connect(url);
        try {
            JetStreamSubscription subscription = connection.jetStream().subscribe("waybill.order.placed");
            Message received = subscription.nextMessage(Duration.ofSeconds(20));
            assertThat(new String(received.getData(), StandardCharsets.UTF_8)).contains("\"data\":{\"n\":1}");
            assertThat(received.getHeaders().getFirst("aggregate-id")).isEqualTo("42");
        } finally {
            connection.close();
        }
        Result doctor = waybill.run("doctor", "--topic", "order.placed");
        assertThat(doctor.exit()).as(doctor.out()).isZero();
        assertThat(doctor.out())
                .containsPattern("warn +durability")
                .contains("sync_interval", "goes to stream waybill");
    }
}
