package io.waybill.retry;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.random.RandomCases;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RetryPolicyPropertyTest {
    private static final long TEN_YEARS = 315_360_000_000L;

    @Test
    void aDelayDoublesWithinItsJitterAndNeverPassesTheLongest() {
        RandomCases.check(1_000, draw -> {
            int attempts = draw.integer(1, 1_000);
            long first = draw.number(1, TEN_YEARS);
            long more = draw.number(0, TEN_YEARS);
            int failures = draw.integer(0, Integer.MAX_VALUE);
            RetryPolicy policy = new RetryPolicy(attempts, Duration.ofMillis(first), Duration.ofMillis(first + more));

            double delay = policy.delay(failures).toMillis();

            double doubled = first;
            for (int i = 1; i < failures && doubled < first + more; i++) {
                doubled *= 2;
            }
            double nominal = Math.min(doubled, (double) (first + more));
            // beyond thirty doublings it may stay below what doubling on would give
            double least = failures > 31 ? Math.min(nominal, first * Math.pow(2, 30)) : nominal;
            assertThat(delay)
                    .isBetween(Math.floor(least * 0.8), Math.ceil(nominal * 1.2))
                    .isPositive();
        });
    }

    @Test
    void theLimitIsMetByExactlyAsManyFailures() {
        RandomCases.check(1_000, draw -> {
            int attempts = draw.integer(1, 1_000);
            int failures = draw.integer(0, 2_000);
            RetryPolicy policy = new RetryPolicy(attempts, Duration.ofSeconds(1), Duration.ofSeconds(1));

            assertThat(policy.exhausted(failures)).isEqualTo(failures >= attempts);
        });
    }
}
