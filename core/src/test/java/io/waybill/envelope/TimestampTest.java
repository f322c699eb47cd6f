package io.waybill.envelope;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TimestampTest {
    @Test
    void timesAreFormattedLikeInstants() {
        Random random = new Random(7);
        ChronoUnit[] units = {ChronoUnit.NANOS, ChronoUnit.MICROS, ChronoUnit.MILLIS, ChronoUnit.SECONDS};
        for (int i = 0; i < 20_000; i++) {
            long second = random.nextInt(10) == 0 ? random.nextLong(-70_000_000_000L, 300_000_000_000L) : i / 100;
            Instant time =
                    Instant.ofEpochSecond(second, random.nextInt(1_000_000_000)).truncatedTo(units[i % 4]);
            assertThat(Timestamp.text(time)).isEqualTo(time.toString());
        }
    }

    @Test
    void leadingZerosOfTheFractionAreKept() {
        assertThat(Timestamp.text(Instant.parse("2026-01-02T03:04:05.000001Z")))
                .isEqualTo("2026-01-02T03:04:05.000001Z");
    }
}
