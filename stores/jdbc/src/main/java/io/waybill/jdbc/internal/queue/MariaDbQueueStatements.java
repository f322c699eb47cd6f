package io.waybill.jdbc.internal.queue;

import io.waybill.jdbc.internal.lane.LaneTable;
import io.waybill.jdbc.internal.sql.Dialect;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The statements of the queue engine that only MariaDB and MySQL use: lanes with due retries, and pruning. {@link StoredLaneStatements}
 * contains those that they share with H2. Their query for pending events is {@link PendingQuery#SINGLE_SCAN}.
 */
final class MariaDbQueueStatements extends StoredLaneStatements {
    /** Matches all possible lanes. MariaDB uses an index only when a condition restricts its first column. */
    private static final String ANY_LANE = IntStream.range(0, LaneTable.MAX_LANES)
            .mapToObj(Integer::toString)
            .collect(Collectors.joining(", ", "lane IN (", ")"));

    MariaDbQueueStatements(Dialect dialect) {
        super(dialect, dueLanes(dialect), prune(dialect));
    }

    /** Reads ranges of the index. With a subquery per lane, MariaDB reads every pending event of each lane. */
    private static String dueLanes(Dialect dialect) {
        return "SELECT DISTINCT d.lane FROM outbox_events d" + dialect.forceIndex("outbox_events_open")
                + " WHERE d.lane = ANY (?)" + " AND processed_at IS NULL AND next_attempt_at <= " + dialect.now()
                + " AND next_attempt_at < " + dialect.infinity();
    }

    private static String prune(Dialect dialect) {
        return "DELETE FROM outbox_events WHERE " + ANY_LANE + " AND processed_at < "
                + dialect.minusMillis(dialect.now()) + " AND dead_at IS NULL LIMIT ?";
    }

    @Override
    PendingQuery pending() {
        return PendingQuery.SINGLE_SCAN;
    }
}
