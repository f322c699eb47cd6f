package io.waybill.jdbc.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.admin.OutboxStatus;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lanes whose cursors are behind those of the others. */
class JournalLagTest extends JournalLane {
    private static final int OTHER = 5;

    private void appendMany(int lane, int events) {
        backend.execute("INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload)"
                + " SELECT 'A', '" + key("k", lane) + "', 't', to_json(n::text) FROM generate_series(1, " + events
                + ") n");
    }

    /** Otherwise each search for its events would scan all events that other lanes get meanwhile. */
    @Test
    void aLaneWithoutEventsKeepsUpWithTheOthers() {
        append(key("a"), "1");
        publish(claim(10));
        appendMany(OTHER, 10_000);
        assertThat(store.ready(List.of(LANE))).as("not far behind").isEmpty();
        appendMany(OTHER, 1);
        assertThat(store.ready(List.of(LANE))).as("far behind").containsExactly(LANE);
        assertThat(claim(10)).isEmpty();
        assertThat(store.ready(List.of(LANE))).isEmpty();
        assertThat(backend.query("SELECT done_seq FROM outbox_cursors WHERE lane = " + LANE))
                .isEqualTo("10002");
    }

    @Test
    void aLaggingLaneDelaysOnlyTheRetentionOfItsOwnEventsAndIsReported() {
        appendMany(LANE, 300);
        appendMany(OTHER, 300);
        List<ClaimedEvent> finished = claim(100);
        List<PublishOutcome> outcomes = outcomes(finished, c -> new PublishOutcome.Published(c));
        List<ClaimedEvent> inFlight = store.advance(lease, outcomes, 100); // a page of an open window
        Lease other = store.acquire("r", OTHER, LEASE).orElseThrow();
        List<ClaimedEvent> all = store.advance(other, List.of(), 500);
        store.advance(other, outcomes(all, PublishOutcome.Published::new), 0);
        backend.age(Duration.ofDays(8));

        assertThat(store.prune(Duration.ofDays(7), 1_000)).isEqualTo(300);
        assertThat(backend.query("SELECT DISTINCT outbox_lane(aggregate_id) FROM outbox_events"))
                .isEqualTo(Integer.toString(LANE));
        OutboxStatus status = backend.view().status();
        assertThat(status.pending()).isEqualTo(200);
        assertThat(status.oldestAge()).isGreaterThan(Duration.ofDays(7));

        lease = take("r2");
        assertThat(drain()).hasSize(200).first().isEqualTo("101");
        assertThat(inFlight).hasSize(100);
        assertThat(store.prune(Duration.ofDays(7), 1_000)).isEqualTo(300);
    }
}
