package io.waybill.jdbc.internal.queue;

import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.SqlType;
import io.waybill.jdbc.internal.sql.StatementPipeline;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The queue's statements that MariaDB and H2 share: the lane is a column, and the claim's row counts its changes. */
abstract class StoredLaneStatements extends QueueStatements {
    /**
     * Locks the claims and sees them as they are now. The rest of the database may be seen as it was before a wait for the lock, so
     * the claim's row repeats owner and fence: a relay that has taken the lane meanwhile has written its own there. Whether a retry
     * may be due is found by the look at pending events.
     */
    private static final String FENCE = """
            SELECT lane, owner, fence, false, high IS NOT NULL, mark
            FROM outbox_claims WHERE lane = ANY (?) ORDER BY lane FOR UPDATE""";

    private static final String NEXT_KEY =
            "SELECT held_key, id, state FROM outbox_events WHERE held_key > ? ORDER BY held_key, seq LIMIT 1";

    private static final String CLOSE_CLAIM = """
            UPDATE outbox_claims SET low = NULL, high = NULL,
                owner = (SELECT l.owner FROM outbox_lanes l WHERE l.lane = outbox_claims.lane),
                fence = (SELECT l.fence FROM outbox_lanes l WHERE l.lane = outbox_claims.lane)
            WHERE lane = ?""";

    private static final String LOCK_LANES_OF = """
            SELECT 1 FROM outbox_claims WHERE lane IN (
                SELECT e.lane FROM outbox_events e WHERE e.id = ANY (?)) ORDER BY lane FOR UPDATE""";

    private final String bound;

    StoredLaneStatements(Dialect dialect) {
        super(dialect, KeyColumns.STORED);
        bound = " WHEN ? THEN " + dialect.typed(SqlType.BIGINT);
    }

    @Override
    final String fence() {
        return FENCE;
    }

    @Override
    final String nextKey() {
        return NEXT_KEY;
    }

    @Override
    final String closeClaim() {
        return CLOSE_CLAIM;
    }

    @Override
    final String lockLanesOf() {
        return LOCK_LANES_OF;
    }

    @Override
    final void record(StatementPipeline message, List<LaneClaim> lanes) {
        String bounds = bound.repeat(lanes.size());
        List<@Nullable Object> values = new ArrayList<>();
        lanes.forEach(lane -> values.addAll(Arrays.asList(lane.number(), orNull(lane.low()))));
        lanes.forEach(lane -> values.addAll(Arrays.asList(lane.number(), orNull(lane.high()))));
        values.add(lanes.stream().map(LaneClaim::number).toList());
        message.update(
                "UPDATE outbox_claims SET low = CASE lane" + bounds + " END, high = CASE lane" + bounds
                        + " END, mark = mark + 1 WHERE lane = ANY (?)",
                changed -> lanes.forEach(lane -> lane.marked(lane.mark() + 1)),
                values.toArray());
    }

    private static Object orNull(@Nullable Long value) {
        return value == null ? new Sql.Null(Types.BIGINT) : value;
    }
}
