package io.waybill.saga.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ClockWatchTest {
    private static final Duration ELEVEN_SECONDS = Duration.ofSeconds(11);

    private final AtomicInteger readings = new AtomicInteger();
    private Instant database = Instant.parse("2026-01-01T00:00:00Z");
    private long here = 5_000_000_000L;
    private final ClockWatch watch = new ClockWatch(
            () -> {
                readings.incrementAndGet();
                return database;
            },
            () -> here);

    private void pass(Duration here, Duration database) {
        this.here += here.toNanos();
        this.database = this.database.plus(database);
    }

    @Test
    void nothingIsKnownBeforeTheFirstLook() {
        assertThat(watch.setBack()).isTrue();
        assertThat(watch.setBack()).isFalse();
    }

    @Test
    void theClockIsReadEveryTenSeconds() {
        watch.setBack();
        for (int second = 0; second < 60; second++) {
            pass(Duration.ofSeconds(1), Duration.ofSeconds(1));
            assertThat(watch.setBack()).isFalse();
        }
        assertThat(readings).hasValue(7);
    }

    @Test
    void aClockThatWasSetBackIsNoticedOnce() {
        watch.setBack();
        pass(ELEVEN_SECONDS, ELEVEN_SECONDS.minusMinutes(7));
        assertThat(watch.setBack()).isTrue();
        pass(ELEVEN_SECONDS, ELEVEN_SECONDS);
        assertThat(watch.setBack()).isFalse();
    }

    /** The clock shows a later time than at the last look, but too little time has passed there. */
    @Test
    void aSmallStepBackIsNoticedAlthoughTheClockIsAheadOfTheLastLook() {
        watch.setBack();
        pass(ELEVEN_SECONDS, ELEVEN_SECONDS.minusSeconds(5));
        assertThat(watch.setBack()).isTrue();
    }

    @Test
    void aClockThatWasSetForwardIsNotSetBack() {
        watch.setBack();
        pass(ELEVEN_SECONDS, Duration.ofHours(1));
        assertThat(watch.setBack()).isFalse();
    }

    @Test
    void aClockThatIsALittleSlowerIsNotSetBack() {
        watch.setBack();
        pass(ELEVEN_SECONDS, ELEVEN_SECONDS.minusMillis(500));
        assertThat(watch.setBack()).isFalse();
    }
}
