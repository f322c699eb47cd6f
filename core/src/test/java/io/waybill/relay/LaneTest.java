package io.waybill.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.store.Lease;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LaneTest {
    /** The monotonic clock may return any number, including negative ones. */
    @ParameterizedTest
    @ValueSource(longs = {0, -5_000_000_000L, Long.MIN_VALUE, Long.MAX_VALUE - 1})
    void aNewLaneCanBeServedAtOnceAtAnyClockValue(long nanos) {
        Lane lane = new Lane(new Lease(0, "r", 1), nanos + 1_000_000_000L, () -> nanos);

        assertThat(lane.leaseValid()).isTrue();
        assertThat(lane.idle()).isTrue();
        assertThat(lane.begin()).isTrue();
    }

    @Test
    void aClockThatJumpsBackDoesNotStopALane() {
        AtomicLong nanos = new AtomicLong(0);
        Lane lane = new Lane(new Lease(0, "r", 1), 1_000_000_000L, nanos::get);
        nanos.addAndGet(-600_000_000_000L);

        assertThat(lane.begin()).isTrue();
    }

    @Test
    void aLaneInDoubtPauses() {
        AtomicLong nanos = new AtomicLong(-5_000_000_000L);
        Lane lane = new Lane(new Lease(0, "r", 1), 0, nanos::get);
        lane.markInDoubt(List.of());

        assertThat(lane.begin()).isFalse();
        nanos.addAndGet(1_000_000_000L);
        assertThat(lane.begin()).isTrue();
    }
}
