package io.waybill.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {
    private final RetryPolicy policy = new RetryPolicy(5, Duration.ofSeconds(1), Duration.ofSeconds(10));

    @Test
    void delaysDoubleUpToTheLongestWithinTheJitter() {
        assertThat(policy.delay(1)).isBetween(Duration.ofMillis(800), Duration.ofMillis(1200));
        assertThat(policy.delay(3)).isBetween(Duration.ofMillis(3200), Duration.ofMillis(4800));
        assertThat(policy.delay(1_000)).isBetween(Duration.ofSeconds(8), Duration.ofSeconds(12));
    }

    @Test
    void theLastAttemptExhaustsThePolicy() {
        assertThat(policy.exhausted(4)).isFalse();
        assertThat(policy.exhausted(5)).isTrue();
    }

    @Test
    void invalidSettingsAreRejected() {
        assertThatThrownBy(() -> new RetryPolicy(0, Duration.ofSeconds(1), Duration.ofSeconds(1)))
                .hasMessageContaining("max attempts");
        assertThatThrownBy(() -> new RetryPolicy(1, Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .hasMessageContaining("delay");
    }
}
