package io.waybill.inbox.internal.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.inbox.ReceivedMessage;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class PoisonIdTest {
    private static UUID id(String topic, int partition, long offset, String body, Map<String, String> headers) {
        return PoisonId.of(
                new ReceivedMessage(topic, partition, offset, null, body.getBytes(StandardCharsets.UTF_8), headers));
    }

    @Test
    void differentBodiesWithoutAPositionHaveDifferentIds() {
        assertThat(id("orders", -1, -1, "no json", Map.of())).isNotEqualTo(id("orders", -1, -1, "none", Map.of()));
        assertThat(id("orders", -1, -1, "no json", Map.of("a", "1")))
                .isNotEqualTo(id("orders", -1, -1, "no json", Map.of("a", "2")))
                .isNotEqualTo(id("payments", -1, -1, "no json", Map.of("a", "1")));
    }

    /** The value is fixed here because the order of a map's entries changes from JVM to JVM. */
    @Test
    void aRedeliveryToAnotherProcessHasTheSameId() {
        Map<String, String> headers = Map.of("a", "1", "b", "2", "c", "3", "d", "4");
        assertThat(id("orders", -1, -1, "no json", headers)).hasToString("7fdde6e2-8421-3705-8718-e4cc112197e5");
    }

    @Test
    void theDeliveryCountOfTheBrokerIsIgnored() {
        assertThat(id("orders", -1, -1, "no json", Map.of("x-delivery-count", "1")))
                .isEqualTo(id("orders", -1, -1, "no json", Map.of()));
    }

    /** Offsets start again at zero after a topic was deleted and created again. */
    @Test
    void aReusedPositionWithAnotherBodyHasAnotherId() {
        assertThat(id("orders", 0, 7, "no json", Map.of()))
                .isEqualTo(id("orders", 0, 7, "no json", Map.of("a", "1")))
                .isNotEqualTo(id("orders", 0, 8, "no json", Map.of()))
                .isNotEqualTo(id("orders", 0, 7, "none", Map.of()));
    }
}
