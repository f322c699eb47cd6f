package io.waybill.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

class RetryPolicyPropertyTest {
    private static final long TEN_YEARS = 315_360_000_000L;

    @Property(tries = 1_000)
    void delaysDoubleWithinTheJitterAndNeverExceedTheLongest(
            @ForAll @IntRange(min = 1, max = 1_000) int attempts,
            @ForAll @LongRange(min = 1, max = TEN_YEARS) long first,
            @ForAll @LongRange(min = 0, max = TEN_YEARS) long more,
            @ForAll @IntRange(min = 0) int failures) {
        RetryPolicy policy = new RetryPolicy(attempts, Duration.ofMillis(first), Duration.ofMillis(first + more));

        double delay = policy.delay(failures).toMillis();

        double doubled = first;
        for (int i = 1; i < failures && doubled < first + more; i++) {
            doubled *= 2;
        }
        double nominal = Math.min(doubled, (double) (first + more));
        // After thirty doublings the delay no longer grows.
        double least = failures > 31 ? Math.min(nominal, first * Math.pow(2, 30)) : nominal;
        assertThat(delay)
                .isBetween(Math.floor(least * 0.8), Math.ceil(nominal * 1.2))
                .isPositive();
    }

    @Property(tries = 1_000)
    void attemptsAreExhaustedAfterExactlyTheLimit(
            @ForAll @IntRange(min = 1, max = 1_000) int attempts,
            @ForAll @IntRange(min = 0, max = 2_000) int failures) {
        RetryPolicy policy = new RetryPolicy(attempts, Duration.ofSeconds(1), Duration.ofSeconds(1));

        assertThat(policy.exhausted(failures)).isEqualTo(failures >= attempts);
        assertThat(policy.crashLimitReached(failures)).isEqualTo(failures >= attempts && failures >= 5);
    }
}
