package io.waybill.jdbc.internal.queue;

import io.waybill.jdbc.internal.lane.LaneTable;
import io.waybill.jdbc.internal.sql.Dialect;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The queue's statements on MariaDB and MySQL. */
final class MariaDbQueueStatements extends StoredLaneStatements {
    /** Every lane that there can be: MariaDB uses an index only when its first column is given. */
    private static final String EVERY_LANE = IntStream.range(0, LaneTable.MOST_LANES)
            .mapToObj(Integer::toString)
            .collect(Collectors.joining(", ", "lane IN (", ")"));

    private final String dueLanes;
    private final String ready;
    private final String prune;

    MariaDbQueueStatements(Dialect dialect) {
        super(dialect);
        // As ranges of the index: asked lane by lane, MariaDB reads every event that waits in each.
        dueLanes = "SELECT DISTINCT d.lane FROM outbox_events d WHERE d.lane = ANY (?) AND processed_at IS NULL"
                + " AND next_attempt_at <= " + dialect.now() + " AND next_attempt_at < " + dialect.infinity();
        ready = """
                SELECT l.lane FROM outbox_lanes l WHERE l.lane = ANY (?)
                   AND (SELECT 1 FROM outbox_events e WHERE e.lane = l.lane AND e.processed_at IS NULL
                        AND e.next_attempt_at IS NULL LIMIT 1) IS NOT NULL
                UNION ALL
                """ + dueLanes;
        prune = "DELETE FROM outbox_events WHERE " + EVERY_LANE + " AND processed_at < "
                + dialect.minusMillis(dialect.now()) + " AND dead_at IS NULL LIMIT ?";
    }

    @Override
    String dueLanes() {
        return dueLanes;
    }

    @Override
    String ready() {
        return ready;
    }

    @Override
    String prune() {
        return prune;
    }

    @Override
    PendingQuery pending() {
        return PendingQuery.SINGLE_SCAN;
    }
}
