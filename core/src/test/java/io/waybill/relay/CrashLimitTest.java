package io.waybill.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.random.RandomCases;
import io.waybill.retry.RetryPolicy;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class CrashLimitTest {
    @Test
    void theLimitIsThatOfThePolicyButAtLeastFive() {
        RandomCases.check(1_000, draw -> {
            int attempts = draw.integer(1, 1_000);
            int crashes = draw.integer(0, 2_000);
            RetryPolicy policy = new RetryPolicy(attempts, Duration.ofSeconds(1), Duration.ofSeconds(1));

            assertThat(CrashLimit.reached(policy, crashes)).isEqualTo(crashes >= attempts && crashes >= 5);
        });
    }
}
