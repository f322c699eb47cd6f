package io.waybill.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.admin.OutboxStatus.LaneStatus;
import io.waybill.store.PublishOutcome;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LaneLagTest {
    /** Keys of lanes 2 and 1, according to the function in the database. */
    private static final String STUCK = "taken";

    private static final String FLUENT = "later";

    @ParameterizedTest
    @EnumSource
    void aLaggingLaneIsReportedAndDelaysOnlyTheRetentionOfItsOwnEvents(Engine engine) {
        try (PostgresBackend backend = PostgresBackend.of(engine)) {
            EveryState outbox = new EveryState(backend);
            outbox.append(STUCK, 1);
            outbox.append(FLUENT, 1, 2);
            ManualRelay relay = new ManualRelay(backend.store(), "relay");
            relay.claim(10);
            relay.settle(claimed -> claimed.event().key().equals(STUCK)
                    ? new PublishOutcome.Released(claimed)
                    : new PublishOutcome.Published(claimed));
            backend.age(Duration.ofHours(1));

            assertThat(backend.view().status().lanes()).allSatisfy(lane -> {
                assertThat(lane.waiting()).isEqualTo(lane.lane() == 2);
                assertThat(lane.lag()).isBetween(low(lane), low(lane).plusMinutes(30));
            });
            // The cursor of a lane moves past settled events with the next claim.
            relay.claimIn(1, 10);
            assertThat(backend.store().prune(Duration.ofMinutes(30), 10)).isEqualTo(2);
            assertThat(backend.query("SELECT aggregate_id FROM outbox_events")).isEqualTo(STUCK);
        }
    }

    private static Duration low(LaneStatus lane) {
        return lane.lane() == 2 ? Duration.ofHours(1) : Duration.ZERO;
    }
}
