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

/** The statements that MariaDB, MySQL and H2 share. The lane is a column, and the mark of a claim counts the changes of its row. */
abstract class StoredLaneStatements extends QueueStatements {
    /**
     * Locks the claims and reads their latest version. If the statement waited for the lock, it may read other tables as they were
     * before the wait. Therefore the claim's row repeats owner and fence: a relay that took the lane over during the wait has
     * written its name and its fence into that row. Whether a retry may be due is determined by the scan of pending events.
     */
    private static final String FENCE = """
            SELECT lane, owner, fence, false, high IS NOT NULL, mark
            FROM outbox_claims WHERE lane = ANY (?) ORDER BY lane FOR UPDATE""";

    private static final String CLOSE_CLAIM = """
            UPDATE outbox_claims SET low = NULL, high = NULL,
                owner = (SELECT l.owner FROM outbox_lanes l WHERE l.lane = outbox_claims.lane),
                fence = (SELECT l.fence FROM outbox_lanes l WHERE l.lane = outbox_claims.lane)
            WHERE lane = ?""";

    private static final String LOCK_LANES_OF = """
            SELECT 1 FROM outbox_claims WHERE lane IN (
                SELECT e.lane FROM outbox_events e WHERE e.id = ANY (?)) ORDER BY lane FOR UPDATE""";

    private final String nextKey;
    private final String lanesWithPending;
    private final String dueLanes;
    private final String prune;
    private final String bound;

    /**
     * @param dueLanes see {@link #dueLanes()}
     * @param prune see {@link #prune()}
     */
    StoredLaneStatements(Dialect dialect, String dueLanes, String prune) {
        super(dialect, KeyColumns.STORED);
        this.dueLanes = dueLanes;
        this.prune = prune;
        nextKey = "SELECT held_key, id, state FROM outbox_events" + dialect.forceIndex("outbox_events_held")
                + " WHERE held_key > ? ORDER BY held_key, seq LIMIT 1";
        lanesWithPending = "SELECT l.lane FROM outbox_lanes l WHERE l.lane = ANY (?) AND (SELECT 1 FROM outbox_events e"
                + dialect.forceIndex("outbox_events_open") + " WHERE e.lane = l.lane AND e.processed_at IS NULL"
                + " AND e.next_attempt_at IS NULL LIMIT 1) IS NOT NULL";
        bound = " WHEN ? THEN " + dialect.typed(SqlType.BIGINT);
    }

    @Override
    final String fence() {
        return FENCE;
    }

    @Override
    final String dueLanes() {
        return dueLanes;
    }

    @Override
    final String ready() {
        return lanesWithPending + " UNION ALL " + dueLanes;
    }

    @Override
    final String prune() {
        return prune;
    }

    @Override
    final String nextKey() {
        return nextKey;
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
    final void record(StatementPipeline pipeline, List<LaneClaim> lanes) {
        String bounds = bound.repeat(lanes.size());
        List<@Nullable Object> values = new ArrayList<>();
        lanes.forEach(lane -> values.addAll(Arrays.asList(lane.number(), orNull(lane.low()))));
        lanes.forEach(lane -> values.addAll(Arrays.asList(lane.number(), orNull(lane.high()))));
        values.add(lanes.stream().map(LaneClaim::number).toList());
        pipeline.update(
                "UPDATE outbox_claims SET low = CASE lane" + bounds + " END, high = CASE lane" + bounds
                        + " END, mark = mark + 1 WHERE lane = ANY (?)",
                changed -> lanes.forEach(lane -> lane.setMark(lane.mark() + 1)),
                values.toArray());
    }

    private static Object orNull(@Nullable Long value) {
        return value == null ? new Sql.TypedNull(Types.BIGINT) : value;
    }
}
