package io.waybill.jdbc.internal.queue;

import io.waybill.jdbc.internal.admin.SearchQueries;
import io.waybill.jdbc.internal.admin.Section;
import io.waybill.jdbc.internal.admin.ViewQueries;
import io.waybill.jdbc.internal.admin.ViewQueries.Source;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.PerDialect;
import java.util.Optional;

/** The queries of the operator's view on the tables of the queue engine. */
public final class OperatorQueries {
    public static final PerDialect<ViewQueries> VIEW = new PerDialect<>(
            OperatorQueries::postgres,
            dialect -> storedLanes(dialect, "e.seq"),
            dialect -> storedLanes(dialect, PendingQuery.IN_INDEX_ORDER));

    /** The partial indexes on open events serve these counts. */
    private static final String POSTGRES_COUNTS = """
            SELECT clock_timestamp(),
                (SELECT count(*) FROM outbox_events WHERE processed_at IS NULL AND next_attempt_at IS NULL),
                (SELECT count(*) FROM outbox_claims c JOIN outbox_lanes l ON l.lane = c.lane
                 JOIN outbox_events e ON outbox_lane(e.aggregate_id) = c.lane AND e.seq BETWEEN c.low AND c.high
                 WHERE e.processed_at IS NULL AND e.next_attempt_at IS NULL AND l.expires_at > now()),
                h.claimed, h.retrying, 0, h.parked, h.blocked, d.dead,
                coalesce(greatest(0, extract(epoch FROM clock_timestamp() - least(h.oldest, (
                    SELECT min(f.created_at) FROM outbox_lanes l CROSS JOIN LATERAL (
                        SELECT e.created_at FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = l.lane AND e.processed_at IS NULL
                        AND e.next_attempt_at IS NULL ORDER BY e.seq LIMIT 1) f))))::float8, 0)
            FROM (SELECT count(*) FILTER (WHERE state = 'CLAIMED') AS claimed,
                         count(*) FILTER (WHERE state = 'PENDING') AS retrying,
                         count(*) FILTER (WHERE state = 'PARKED') AS parked,
                         count(DISTINCT aggregate_id) FILTER (WHERE state <> 'PARKED') AS blocked,
                         min(created_at) FILTER (WHERE state <> 'DEAD_LETTER') AS oldest
                  FROM outbox_events WHERE processed_at IS NULL AND next_attempt_at IS NOT NULL) h,
                 (SELECT count(*) AS dead FROM outbox_events WHERE dead_at IS NOT NULL) d""";

    private static final Source POSTGRES_WAITING = new Source("""
            SELECT e.* FROM outbox_lanes l CROSS JOIN LATERAL (
                SELECT * FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = l.lane AND e.processed_at IS NULL
                AND e.next_attempt_at IS NULL %1$s ORDER BY e.seq LIMIT %2$d) e ORDER BY e.seq LIMIT %2$d""", "e.seq");

    private static final Source POSTGRES_CLAIMED = new Source("""
            SELECT e.* FROM outbox_claims c CROSS JOIN LATERAL (
                SELECT * FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = c.lane AND e.processed_at IS NULL
                AND e.next_attempt_at IS NULL AND e.seq BETWEEN c.low AND c.high %1$s ORDER BY e.seq LIMIT %2$d) e
            ORDER BY e.seq LIMIT %2$d""", "e.seq");

    private static final Source WAITING = new Source("""
            SELECT e.* FROM outbox_lanes l JOIN outbox_events e ON e.lane = l.lane AND e.processed_at IS NULL
                AND e.next_attempt_at IS NULL %1$s ORDER BY e.seq LIMIT %2$d""", "e.seq");

    private static final Source CLAIMED = new Source("""
            SELECT e.* FROM outbox_claims c JOIN outbox_events e ON e.lane = c.lane AND e.processed_at IS NULL
                AND e.next_attempt_at IS NULL AND e.seq BETWEEN c.low AND c.high %1$s ORDER BY e.seq LIMIT %2$d""", "e.seq");

    private static final Source DEAD = new Source("""
            SELECT * FROM outbox_events e WHERE e.dead_at IS NOT NULL %1$s
            ORDER BY e.dead_at, e.seq LIMIT %2$d""", "s.processed_at, e.seq");

    private static final String IDS_WAITING_POSTGRES = POSTGRES_WAITING
            .sql()
            .replace("SELECT e.* FROM", "SELECT e.id, e.seq FROM")
            .replace("SELECT * FROM outbox_events e", "SELECT e.id, e.seq FROM outbox_events e");

    private static final Section DEAD_SECTION = new Section(
            Section.Order.TIME,
            "e.dead_at",
            "SELECT e.id, e.seq, e.dead_at FROM outbox_events e WHERE e.dead_at IS NOT NULL %1$s"
                    + " ORDER BY e.dead_at, e.seq LIMIT %2$d");

    private static final String FAILED =
            "SELECT id, last_error FROM outbox_events WHERE dead_at IS NOT NULL ORDER BY dead_at DESC LIMIT %d";

    public static final PerDialect<SearchQueries> SEARCH = new PerDialect<>(
            OperatorQueries::searchPostgres, OperatorQueries::searchStoredLanes, OperatorQueries::searchStoredLanes);

    private static SearchQueries searchPostgres(Dialect dialect) {
        return new SearchQueries(
                new Section(
                        Section.Order.TEXT,
                        "e.aggregate_id",
                        "SELECT e.id, e.seq, e.aggregate_id FROM outbox_events e WHERE "
                                + KeyColumns.COMPUTED.isHeld("e.")
                                + " AND e.dead_at IS NULL %1$s ORDER BY e.aggregate_id, e.seq LIMIT %2$d"),
                new Section(Section.Order.NUMBER, "e.seq", IDS_WAITING_POSTGRES),
                DEAD_SECTION,
                new Section(
                        Section.Order.TIME_DESCENDING,
                        "e.processed_at",
                        "SELECT e.id, e.seq, e.processed_at FROM outbox_events e WHERE e.processed_at IS NOT NULL"
                                + " AND e.dead_at IS NULL %1$s ORDER BY e.processed_at DESC, e.seq DESC LIMIT %2$d"),
                Optional.empty(),
                QueueStatements.of(dialect).nextKey(),
                parked(dialect, KeyColumns.COMPUTED),
                "SELECT id, last_error FROM outbox_events WHERE processed_at IS NULL AND next_attempt_at < 'infinity'"
                        + " AND last_error IS NOT NULL LIMIT %d",
                FAILED);
    }

    private static SearchQueries searchStoredLanes(Dialect dialect) {
        return new SearchQueries(
                new Section(
                        Section.Order.TEXT,
                        "e.held_key",
                        "SELECT e.id, e.seq, e.held_key FROM outbox_events e" + dialect.forceIndex("outbox_events_held")
                                + " WHERE e.dead_at IS NULL AND " + KeyColumns.STORED.isHeld("e.")
                                + " %1$s ORDER BY e.held_key, e.seq LIMIT %2$d"),
                new Section(
                        Section.Order.NUMBER,
                        "e.seq",
                        WAITING.sql().replace("SELECT e.* FROM", "SELECT e.id, e.seq FROM")),
                DEAD_SECTION,
                new Section(
                        Section.Order.NUMBER_DESCENDING,
                        "e.seq",
                        "SELECT e.id, e.seq FROM outbox_events e WHERE e.processed_at IS NOT NULL AND e.dead_at IS NULL"
                                + " %1$s ORDER BY e.seq DESC LIMIT %2$d"),
                Optional.empty(),
                QueueStatements.of(dialect).nextKey(),
                parked(dialect, KeyColumns.STORED),
                "SELECT e.id, e.last_error FROM outbox_lanes l JOIN outbox_events e ON e.lane = l.lane"
                        + " AND e.processed_at IS NULL AND " + dialect.isBefore("e.next_attempt_at", dialect.infinity())
                        + " WHERE e.last_error IS NOT NULL LIMIT %d",
                FAILED);
    }

    private static String parked(Dialect dialect, KeyColumns columns) {
        return "SELECT 1 FROM outbox_events" + dialect.forceIndex("outbox_events_held") + " WHERE "
                + columns.isHeldOf("", "?") + " AND state = 'PARKED' LIMIT %d";
    }

    private OperatorQueries() {}

    private static ViewQueries postgres(Dialect dialect) {
        Source settled = settled("e.processed_at");
        return new ViewQueries(
                POSTGRES_COUNTS,
                oldestInLane(dialect, KeyColumns.COMPUTED, "e.seq"),
                state(dialect, KeyColumns.COMPUTED),
                "e.last_error",
                held(KeyColumns.COMPUTED),
                POSTGRES_WAITING,
                POSTGRES_CLAIMED,
                DEAD,
                settled,
                settled);
    }

    /**
     * Returns the queries for databases where the lane is a column.
     *
     * @param inLane the ORDER BY columns that let the database read the events of one lane in the order of an index
     */
    private static ViewQueries storedLanes(Dialect dialect, String inLane) {
        String counts = """
                SELECT %1$s,
                    (SELECT sum((SELECT count(*) FROM outbox_events e WHERE e.lane = l.lane AND e.processed_at IS NULL
                                 AND e.next_attempt_at IS NULL)) FROM outbox_lanes l),
                    (SELECT count(*) FROM outbox_claims c JOIN outbox_lanes l ON l.lane = c.lane
                     JOIN outbox_events e ON e.lane = c.lane AND e.processed_at IS NULL AND e.next_attempt_at IS NULL
                      AND e.seq BETWEEN c.low AND c.high
                     WHERE l.expires_at > %2$s),
                    h.claimed, h.retrying, 0, h.parked, h.blocked,
                    (SELECT count(*) FROM outbox_events WHERE dead_at IS NOT NULL),
                    coalesce(greatest(0, %3$s), 0)
                FROM (SELECT count(CASE WHEN state = 'CLAIMED' THEN 1 END) AS claimed,
                             count(CASE WHEN state = 'PENDING' THEN 1 END) AS retrying,
                             count(CASE WHEN state = 'PARKED' THEN 1 END) AS parked,
                             count(DISTINCT CASE WHEN state <> 'PARKED' THEN aggregate_id END) AS blocked
                      FROM outbox_events WHERE held_key > '') h
                CROSS JOIN (SELECT min(created_at) AS oldest FROM (
                    SELECT min(created_at) AS created_at FROM outbox_events WHERE held_key > '' AND state <> 'DEAD_LETTER'
                    UNION ALL
                    SELECT (%4$s) FROM outbox_lanes l) every) o""".formatted(
                        dialect.clock(),
                        dialect.now(),
                        dialect.secondsBetween("o.oldest", dialect.clock()),
                        oldestInLane(dialect, KeyColumns.STORED, inLane));
        Source settled = settled("e.seq");
        return new ViewQueries(
                counts,
                oldestInLane(dialect, KeyColumns.STORED, inLane),
                state(dialect, KeyColumns.STORED),
                "e.last_error",
                held(KeyColumns.STORED),
                WAITING,
                CLAIMED,
                DEAD,
                settled,
                settled);
    }

    private static String oldestInLane(Dialect dialect, KeyColumns columns, String inLane) {
        return "SELECT e.created_at FROM outbox_events e" + dialect.forceIndex("outbox_events_open") + " WHERE "
                + columns.lane("e.")
                + " = l.lane AND e.processed_at IS NULL AND e.next_attempt_at IS NULL ORDER BY " + inLane + " LIMIT 1";
    }

    private static String state(Dialect dialect, KeyColumns columns) {
        return """
                CASE WHEN e.processed_at IS NULL AND e.next_attempt_at IS NULL AND EXISTS (
                         SELECT 1 FROM outbox_claims c JOIN outbox_lanes l ON l.lane = c.lane
                         WHERE c.lane = %s AND e.seq BETWEEN c.low AND c.high
                           AND l.owner IS NOT NULL AND l.expires_at > %s)
                     THEN 'CLAIMED' ELSE e.state END""".formatted(columns.lane("e."), dialect.now());
    }

    /** Dead letters that block their keys are listed as dead letters. */
    private static Source held(KeyColumns columns) {
        return new Source(
                "SELECT * FROM outbox_events e WHERE " + columns.isHeld("e.")
                        + " AND e.dead_at IS NULL %1$s ORDER BY e.seq LIMIT %2$d",
                "e.seq");
    }

    /** @param latest the indexed column that finds the latest events, approximately in the order in which they were settled */
    private static Source settled(String latest) {
        return new Source(
                "SELECT * FROM outbox_events e WHERE e.processed_at IS NOT NULL AND e.dead_at IS NULL %1$s ORDER BY "
                        + latest + " DESC LIMIT %2$d",
                "s.processed_at DESC");
    }
}
