package io.waybill.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.random.RandomCases;
import org.junit.jupiter.api.Test;

class CrashLimitTest {
    @Test
    void theLimitIsThatOfThePolicyButAtLeastFive() {
        RandomCases.check(1_000, draw -> {
            int attempts = draw.integer(1, 1_000);
            int crashes = draw.integer(0, 2_000);

            assertThat(CrashLimit.reached(attempts, crashes)).isEqualTo(crashes >= attempts && crashes >= 5);
        });
    }
}
