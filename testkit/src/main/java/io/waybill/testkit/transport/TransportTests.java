package io.waybill.testkit.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.waybill.testkit.transport.BreakableBroker.Capability;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The broker under test, as the test interfaces of {@link TransportContract} see it. */
interface TransportTests {
    /** The send timeout while the broker works: long enough for a busy machine. */
    Duration LONG_TIMEOUT = Duration.ofSeconds(30);

    /** The send timeout while the broker is out, when every message waits for it. */
    Duration SHORT_TIMEOUT = Duration.ofSeconds(4);

    /** The time that a transport may need beyond its timeout on a busy machine. */
    Duration SLACK = Duration.ofSeconds(3);

    BreakableBroker broker();

    /** A new topic for each test. */
    String topic();

    /** Returns a new transport, which is closed after the test. */
    Transport connect(Duration sendTimeout);

    default Message message(String key, String body) {
        return new Message(UUID.randomUUID(), topic(), key, body.getBytes(UTF_8), Map.of());
    }

    /** Skips the test if the broker lacks this capability. */
    default void assumeCapable(Capability capability) {
        assumeTrue(broker().capabilities().contains(capability), () -> "the broker lacks " + capability);
    }

    static Result send(Transport transport, Message message) {
        Result result = new Result(message);
        transport.send(message, result);
        return result;
    }

    static void assertReportedOnce(List<Result> results) {
        assertThat(results).allSatisfy(result -> assertThat(result.times()).isEqualTo(1));
    }

    static List<String> bodiesOf(String key, List<ReceivedMessage> received) {
        return received.stream()
                .filter(message -> message.key().equals(key))
                .map(ReceivedMessage::text)
                .toList();
    }
}
