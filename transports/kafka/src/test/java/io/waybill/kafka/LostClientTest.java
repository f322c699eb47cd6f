package io.waybill.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.testkit.servers.SharedServers;
import io.waybill.testkit.transport.Result;
import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Failure.Kind;
import io.waybill.transport.Message;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.Test;

/** A producer whose network thread dies never reports the results of its records. */
class LostClientTest {
    private static final Duration LIMIT = Duration.ofMinutes(4);

    @Test
    void aRecordInADeadProducerFailsAsAnOutageAndTheNextProducerContinues() {
        Duration timeout = Duration.ofSeconds(3);
        try (KafkaTransport transport = KafkaTransport.builder(
                        SharedServers.kafka().bootstrapServers())
                .sendTimeout(timeout)
                .setting("interceptor.classes", Killer.class.getName())
                .build()) {
            send(transport, "before").assertAcknowledged(LIMIT);

            Killer.armed.set(true);
            Result forgotten = send(transport, "forgotten");
            Failure failure = forgotten.assertFailed(Kind.OUTAGE, timeout.plusSeconds(4));
            assertThat(failure.reason()).contains("The producer is replaced");
            assertThat(Killer.armed).isFalse();

            send(transport, "after").assertAcknowledged(LIMIT);
            assertThat(forgotten.times()).isEqualTo(1);
        }
    }

    @Test
    void aFailingCallbackDoesNotAffectOtherMessages() {
        try (KafkaTransport transport = KafkaTransport.to(SharedServers.kafka().bootstrapServers())) {
            Message message = message("boom");
            Result heard = new Result(message);
            transport.send(message, new Delivery() {
                @Override
                public void acknowledged() {
                    heard.acknowledged();
                    throw new IllegalStateException("a bug in the callback");
                }

                @Override
                public void failed(Failure failure) {
                    heard.failed(failure);
                }
            });
            heard.assertAcknowledged(LIMIT);
            send(transport, "after").assertAcknowledged(LIMIT);
            assertThat(heard.times()).isEqualTo(1);
        }
    }

    private static Result send(KafkaTransport transport, String key) {
        Result result = new Result(message(key));
        transport.send(result.message(), result);
        return result;
    }

    private static Message message(String key) {
        return new Message(UUID.randomUUID(), "lost-client", key, new byte[1], Map.of());
    }

    /** Ends the network thread: Kafka catches exceptions there, but no errors. */
    public static final class Killer implements ProducerInterceptor<byte[], byte[]> {
        static final AtomicBoolean armed = new AtomicBoolean();

        @Override
        public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
            return record;
        }

        @Override
        public void onAcknowledgement(RecordMetadata metadata, Exception exception) {
            if (armed.compareAndSet(true, false)) {
                throw new AssertionError("the network thread ends here, as the test wants");
            }
        }

        @Override
        public void close() {}

        @Override
        public void configure(Map<String, ?> configs) {}
    }
}
