package io.waybill.jdbc.internal.queue;

import static java.util.Objects.requireNonNull;

import io.waybill.jdbc.internal.lane.LaneTable;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.StatementPipeline;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The statements of the queue engine for PostgreSQL. Its query for pending events is {@link PendingQuery#LATERAL}. */
final class PostgresQueueStatements extends QueueStatements {
    private static final String FENCE =
            """
            WITH q AS MATERIALIZED (SELECT %s)
            SELECT l.lane, l.owner, l.fence,
                   EXISTS (SELECT 1 FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = l.lane AND e.processed_at IS NULL
                           AND e.next_attempt_at < 'infinity' AND e.next_attempt_at <= now()),
                   c.high IS NOT NULL, CAST(CAST(c.xmin AS text) AS bigint), q.*,
                   %s
            FROM q CROSS JOIN outbox_lanes l JOIN outbox_claims c ON c.lane = l.lane WHERE l.lane = ANY (?)
            ORDER BY l.lane FOR KEY SHARE OF l FOR NO KEY UPDATE OF c""".formatted(LaneTable.SET_DURABLE_COMMIT, LaneTable.SET_IDLE_TIMEOUT_TO_LEASE);

    private static final String DUE_LANES = """
            SELECT l FROM unnest(?::int[]) l
            WHERE EXISTS (SELECT 1 FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = l AND e.processed_at IS NULL
                          AND e.next_attempt_at < 'infinity' AND e.next_attempt_at <= now())""";

    private static final String READY = """
            SELECT l FROM unnest(?::int[]) l
            WHERE EXISTS (SELECT 1 FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = l
                          AND e.processed_at IS NULL AND e.next_attempt_at IS NULL)
            UNION ALL
            """ + DUE_LANES;

    /** The subquery is an array, because the planner would scan the whole table for a subquery with many expected rows. */
    private static final String PRUNE = """
            DELETE FROM outbox_events WHERE id = ANY (ARRAY (
                SELECT id FROM outbox_events
                WHERE processed_at IS NOT NULL AND dead_at IS NULL
                  AND processed_at < now() - ? * interval '1 millisecond'
                ORDER BY processed_at LIMIT ? FOR UPDATE SKIP LOCKED))""";

    private static final String NEXT_KEY = """
            SELECT aggregate_id, id, state FROM outbox_events
            WHERE aggregate_id > ? AND processed_at IS NULL AND next_attempt_at IS NOT NULL
            ORDER BY aggregate_id, seq LIMIT 1""";

    private static final String CLOSE_CLAIM =
            "UPDATE outbox_claims SET low = NULL, high = NULL WHERE lane = ? AND high IS NOT NULL";

    private static final String LOCK_LANES_OF = """
            SELECT 1 FROM outbox_claims WHERE lane IN (
                SELECT outbox_lane(aggregate_id) FROM outbox_events WHERE id = ANY (?)) ORDER BY lane FOR NO KEY UPDATE""";

    /** The mark of a claim is the number of the transaction that wrote its row. */
    private static final String RECORD = """
            UPDATE outbox_claims c SET low = t.low, high = t.high
            FROM unnest(?::int[], ?::bigint[], ?::bigint[]) AS t (lane, low, high) WHERE c.lane = t.lane
            RETURNING c.lane, CAST(CAST(c.xmin AS text) AS bigint)""";

    PostgresQueueStatements(Dialect dialect) {
        super(dialect, KeyColumns.COMPUTED);
    }

    @Override
    String fence() {
        return FENCE;
    }

    @Override
    String dueLanes() {
        return DUE_LANES;
    }

    @Override
    String ready() {
        return READY;
    }

    @Override
    String prune() {
        return PRUNE;
    }

    @Override
    String nextKey() {
        return NEXT_KEY;
    }

    @Override
    String closeClaim() {
        return CLOSE_CLAIM;
    }

    @Override
    String lockLanesOf() {
        return LOCK_LANES_OF;
    }

    @Override
    PendingQuery pending() {
        return PendingQuery.LATERAL;
    }

    @Override
    void record(StatementPipeline pipeline, List<LaneClaim> lanes) {
        List<Integer> numbers = new ArrayList<>();
        List<@Nullable Long> lows = new ArrayList<>();
        List<@Nullable Long> highs = new ArrayList<>();
        Map<Integer, LaneClaim> byNumber = new HashMap<>();
        for (LaneClaim lane : lanes) {
            numbers.add(lane.number());
            lows.add(lane.low());
            highs.add(lane.high());
            byNumber.put(lane.number(), lane);
        }
        pipeline.query(
                RECORD,
                row -> {
                    while (row.next()) {
                        requireNonNull(byNumber.get(row.getInt(1))).setMark(row.getLong(2));
                    }
                },
                numbers,
                lows,
                highs);
    }
}
