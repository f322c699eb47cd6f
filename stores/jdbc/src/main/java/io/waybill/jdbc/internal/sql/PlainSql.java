package io.waybill.jdbc.internal.sql;

import io.waybill.jdbc.inbox.JdbcInboxView;
import io.waybill.jdbc.internal.queue.Claims;
import io.waybill.jdbc.internal.queue.DeadLetterRepair;
import io.waybill.jdbc.internal.queue.LaneClaim;
import io.waybill.jdbc.internal.queue.OperatorQueries;
import io.waybill.jdbc.internal.queue.ParkedEvents;
import io.waybill.jdbc.internal.queue.QueueStore;
import io.waybill.jdbc.internal.schema.LaneCount;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Other ways to say what PostgreSQL alone can say in one statement, with the same parameters and columns. Times and casts are
 * written as in PostgreSQL; {@link Translation} goes on from here.
 */
final class PlainSql {
    /** Every lane that there can be: for the index on lanes, where the first column must be given. */
    private static final String EVERY_LANE = IntStream.range(0, LaneCount.MOST)
            .mapToObj(Integer::toString)
            .collect(Collectors.joining(", ", "lane IN (", ")"));

    /** Not of the lanes' rows: heartbeats change those, and no lock would let them. */
    static final String LOCK = "SELECT 1 FROM outbox_claims WHERE lane = ANY (?) ORDER BY lane FOR UPDATE";

    private static final String DUE_LANES =
            "SELECT DISTINCT d.lane FROM outbox_lanes d WHERE d.lane = ANY (?) AND (SELECT 1 FROM outbox_events"
                    + " WHERE lane = d.lane AND processed_at IS NULL AND next_attempt_at <= now() AND next_attempt_at < 'infinity'"
                    + " LIMIT 1) IS NOT NULL";

    /**
     * Locks, and sees what is locked as it is now; the rest may be what it was before a wait. So the lease stands in the claim's
     * row too: whoever took the lane meanwhile has left its own there. Whether a retry may be due, the look at what waits tells.
     */
    private static final String FENCE = """
            SELECT lane, owner, fence, false, high IS NOT NULL, mark
            FROM outbox_claims WHERE lane = ANY (?) ORDER BY lane FOR UPDATE""";

    private static final String CLOSE_CLAIM = """
            UPDATE outbox_claims SET low = NULL, high = NULL,
                owner = (SELECT l.owner FROM outbox_lanes l WHERE l.lane = outbox_claims.lane),
                fence = (SELECT l.fence FROM outbox_lanes l WHERE l.lane = outbox_claims.lane)
            WHERE lane = ?""";

    /** For so many lanes. */
    private static String record(int lanes) {
        String each = " WHEN ? THEN CAST(? AS bigint)".repeat(lanes);
        return "UPDATE outbox_claims SET low = CASE lane" + each + " END, high = CASE lane" + each
                + " END, mark = mark + 1 WHERE lane = ANY (?)";
    }

    private static final String READY = """
            SELECT l.lane FROM outbox_lanes l WHERE l.lane = ANY (?)
               AND (SELECT 1 FROM outbox_events e WHERE e.lane = l.lane AND e.processed_at IS NULL
                    AND e.next_attempt_at IS NULL LIMIT 1) IS NOT NULL
            UNION ALL %s""".formatted(DUE_LANES);

    private static final String PRUNE = """
            DELETE FROM outbox_events WHERE %s AND processed_at < now() - ? * interval '1 millisecond' AND dead_at IS NULL
            LIMIT ?""".formatted(EVERY_LANE);

    private static final String NEXT_KEY =
            "SELECT held_key, id, state FROM outbox_events WHERE held_key > ? ORDER BY held_key, seq LIMIT 1";

    private static final String LOCK_LANES = """
            SELECT 1 FROM outbox_claims WHERE lane IN (
                SELECT e.lane FROM outbox_events e WHERE e.id = ANY (?)) ORDER BY lane FOR UPDATE""";

    private static final String COUNTS = """
            SELECT clock_timestamp(),
                (SELECT sum((SELECT count(*) FROM outbox_events e WHERE e.lane = l.lane AND e.processed_at IS NULL
                             AND e.next_attempt_at IS NULL)) FROM outbox_lanes l),
                (SELECT count(*) FROM outbox_claims c JOIN outbox_lanes l ON l.lane = c.lane
                 JOIN outbox_events e ON e.lane = c.lane AND e.processed_at IS NULL AND e.next_attempt_at IS NULL
                  AND e.seq BETWEEN c.low AND c.high
                 WHERE l.expires_at > now()),
                h.claimed, h.retrying, 0, h.parked, h.blocked,
                (SELECT count(*) FROM outbox_events WHERE dead_at IS NOT NULL),
                coalesce(greatest(0, extract(epoch FROM clock_timestamp() - o.oldest)), 0)
            FROM (SELECT count(CASE WHEN state = 'CLAIMED' THEN 1 END) AS claimed,
                         count(CASE WHEN state = 'PENDING' THEN 1 END) AS retrying,
                         count(CASE WHEN state = 'PARKED' THEN 1 END) AS parked,
                         count(DISTINCT CASE WHEN state <> 'PARKED' THEN aggregate_id END) AS blocked
                  FROM outbox_events WHERE held_key > '') h
            CROSS JOIN (SELECT min(created_at) AS oldest FROM (
                SELECT min(created_at) AS created_at FROM outbox_events WHERE held_key > '' AND state <> 'DEAD_LETTER'
                UNION ALL
                SELECT (SELECT e.created_at FROM outbox_events e WHERE e.lane = l.lane AND e.processed_at IS NULL
                        AND e.next_attempt_at IS NULL ORDER BY e.seq LIMIT 1) FROM outbox_lanes l) every) o""";

    private static final String INBOX_STATUS = """
            SELECT n.g, coalesce(h.retrying, 0), coalesce(h.parked, 0), coalesce(d.letters, 0), coalesce(h.age, 0),
                   (SELECT p.processed_at FROM processed_events p WHERE p.consumer_group = n.g
                    AND p.outcome <> 'DEAD_LETTERED' ORDER BY p.processed_at DESC LIMIT 1),
                   coalesce(s.consumers, 0), s.since, s.reason
            FROM (SELECT DISTINCT consumer_group AS g FROM processed_events
                  UNION SELECT consumer_group FROM inbox_held
                  UNION SELECT consumer_group FROM inbox_dead_letters
                  UNION SELECT consumer_group FROM inbox_pauses WHERE expires_at > clock_timestamp()) n
            LEFT JOIN (SELECT consumer_group AS g, count(CASE WHEN state = 'RETRY' THEN 1 END) AS retrying,
                              count(CASE WHEN state <> 'RETRY' THEN 1 END) AS parked,
                              extract(epoch FROM clock_timestamp() - min(held_at)) AS age
                       FROM inbox_held GROUP BY consumer_group) h ON h.g = n.g
            LEFT JOIN (SELECT consumer_group AS g, count(*) AS letters
                       FROM inbox_dead_letters GROUP BY consumer_group) d ON d.g = n.g
            LEFT JOIN (SELECT consumer_group AS g, count(*) AS consumers, min(paused_since) AS since, min(reason) AS reason
                       FROM inbox_pauses WHERE expires_at > clock_timestamp() GROUP BY consumer_group) s ON s.g = n.g
            WHERE (CAST(? AS text) IS NULL OR n.g = ?) ORDER BY n.g""";

    private static final Map<String, String> PLAIN = Map.of(
            ParkedEvents.NEXT_KEY, NEXT_KEY,
            Claims.FENCE, FENCE,
            QueueStore.CLOSE_CLAIM, CLOSE_CLAIM,
            Claims.DUE_LANES, DUE_LANES,
            QueueStore.READY, READY,
            QueueStore.PRUNE, PRUNE,
            DeadLetterRepair.LOCK, LOCK_LANES,
            OperatorQueries.COUNTS, COUNTS,
            JdbcInboxView.STATUS, INBOX_STATUS);

    private PlainSql() {}

    /** {@link Dialect#record}, where the row itself counts its changes. */
    static void record(StatementPipeline message, List<LaneClaim> lanes) {
        List<@Nullable Object> values = new ArrayList<>();
        lanes.forEach(lane -> values.addAll(Arrays.asList(lane.number(), orNull(lane.low()))));
        lanes.forEach(lane -> values.addAll(Arrays.asList(lane.number(), orNull(lane.high()))));
        values.add(lanes.stream().map(LaneClaim::number).toList());
        message.update(
                record(lanes.size()), changed -> lanes.forEach(lane -> lane.marked(lane.mark() + 1)), values.toArray());
    }

    private static Object orNull(@Nullable Long value) {
        return value == null ? new Sql.Null(Types.BIGINT) : value;
    }

    static String insteadOf(String statement) {
        return PLAIN.getOrDefault(statement, statement);
    }
}
