package io.waybill.kafka;

import static org.awaitility.Awaitility.await;

import io.waybill.testkit.servers.SharedServers;
import io.waybill.testkit.transport.Result;
import io.waybill.transport.Message;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class BackgroundFlushTest {
    private static final Duration LIMIT = Duration.ofMinutes(4);

    @Test
    void aFlushSendsRecordsBeforeTheLingerTimeEnds() {
        try (KafkaTransport transport = KafkaTransport.builder(
                        SharedServers.kafka().bootstrapServers())
                .sendTimeout(Duration.ofMinutes(20))
                .setting("linger.ms", Duration.ofMinutes(5).toMillis())
                .build()) {
            Message message =
                    new Message(UUID.randomUUID(), "hurry-" + UUID.randomUUID(), "a key", new byte[] {1}, Map.of());
            Result result = new Result(message);
            transport.send(message, result);
            // The first message waits for the lookup of its topic, so it may reach the producer after the first call.
            await().atMost(LIMIT).until(() -> {
                transport.flushSoon();
                return result.times() == 1;
            });
            result.assertAcknowledged(LIMIT);
        }
    }
}
