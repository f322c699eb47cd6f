package io.waybill.faults.simulation;

import io.waybill.admin.EventState;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import io.waybill.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Applies the outcomes of claimed events. */
final class ModelSettlement {
    private final List<Row> rows;
    private final long now;
    private final Bug bug;

    private ModelSettlement(List<Row> rows, long now, Bug bug) {
        this.rows = rows;
        this.now = now;
        this.bug = bug;
    }

    static ModelSettlement of(List<Row> rows, long now, Bug bug) {
        return new ModelSettlement(rows, now, bug);
    }

    /** Throws unless all events are claimed under this lease. */
    void require(Lease lease, List<PublishOutcome> outcomes) {
        for (PublishOutcome outcome : outcomes) {
            if (find(lease, outcome) == null && bug != Bug.NO_FENCE && bug != Bug.IGNORE_ZERO_ROWS) {
                throw new StoreException("Not claimed by " + lease + ": " + outcome, null);
            }
        }
    }

    /** Applies the outcomes of events that are claimed under this lease and ignores the others. */
    void settle(Lease lease, List<PublishOutcome> outcomes) {
        List<Row> found = new ArrayList<>(outcomes.size());
        List<PublishOutcome> settled = new ArrayList<>(outcomes.size());
        for (PublishOutcome outcome : outcomes) {
            Row row = find(lease, outcome);
            if (row != null) {
                found.add(row);
                settled.add(outcome);
            }
        }
        for (int i = 0; i < found.size(); i++) {
            settle(found.get(i), settled.get(i));
        }
    }

    private @Nullable Row find(Lease lease, PublishOutcome outcome) {
        for (Row row : rows) {
            if (row.position == outcome.claimed().position()) {
                boolean ours = row.state == EventState.CLAIMED && row.claimedBy == lease.fence();
                return ours || (bug == Bug.NO_FENCE && row.open()) ? row : null;
            }
        }
        return null;
    }

    private void settle(Row row, PublishOutcome outcome) {
        boolean frees = row.due != Row.AT_ONCE;
        if (outcome instanceof PublishOutcome.Published) {
            row.state = EventState.PUBLISHED;
        } else if (outcome instanceof PublishOutcome.Retry retry) {
            row.state = EventState.PENDING;
            row.due = now + retry.delay().toNanos();
            row.retryCount += retry.counted() && bug != Bug.RETRY_WITHOUT_COUNTING ? 1 : 0;
            row.error = retry.error();
            frees = false;
        } else if (outcome instanceof PublishOutcome.Parked) {
            row.state = EventState.PARKED;
            row.due = Row.NOT_YET;
            frees = false;
        } else if (outcome instanceof PublishOutcome.Released) {
            row.state = EventState.PENDING;
            frees = false;
        } else if (outcome instanceof PublishOutcome.Dead dead) {
            row.state = EventState.DEAD_LETTER;
            row.due = dead.blocksKey() ? Row.NOT_YET : Row.AT_ONCE;
            row.retryCount++;
            row.error = dead.error();
            frees &= !dead.blocksKey();
        }
        if (frees) {
            unpark(rows, row.key());
        }
    }

    /** Makes parked events pending. The next claim parks them again if they must still wait. */
    static void unpark(List<Row> rows, String key) {
        for (Row row : rows) {
            if (row.state == EventState.PARKED && row.key().equals(key)) {
                row.state = EventState.PENDING;
                row.due = Row.AT_ONCE;
            }
        }
    }
}
