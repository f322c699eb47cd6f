package io.waybill.examples.logistics.orders;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MoneyTest {
    @Test
    void unitsThatAreLeftGoToTheLargestRemainders() {
        assertThat(new Money(100, "EUR").allocate(List.of(1L, 1L, 1L))).containsExactly(34L, 33L, 33L);
        assertThat(new Money(10, "EUR").allocate(List.of(15L, 25L, 60L))).containsExactly(2L, 2L, 6L);
        assertThat(new Money(7, "JPY").allocate(List.of(1L, 10L))).containsExactly(1L, 6L);
        assertThat(new Money(0, "EUR").allocate(List.of(3L))).containsExactly(0L);
    }

    @Test
    void sharesAddUpAndDifferFromTheExactShareByLessThanAUnit() {
        Random random = new Random(4);
        for (int i = 0; i < 2_000; i++) {
            long amount = i % 10 == 0 ? Long.MAX_VALUE : random.nextLong(1_000_000);
            List<Long> weights = random.longs(1 + random.nextInt(100), 1, 100_000_000)
                    .boxed()
                    .toList();
            List<Long> shares = new Money(amount, "EUR").allocate(weights);
            assertThat(shares.stream().mapToLong(Long::longValue).sum()).isEqualTo(amount);
            double sum = weights.stream().mapToLong(Long::longValue).sum();
            for (int k = 0; amount < 1_000_000 && k < shares.size(); k++) {
                assertThat(Math.abs(shares.get(k) - amount * (weights.get(k) / sum)))
                        .isLessThan(1);
            }
        }
    }
}
