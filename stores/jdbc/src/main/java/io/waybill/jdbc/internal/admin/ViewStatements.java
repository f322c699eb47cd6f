package io.waybill.jdbc.internal.admin;

import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.PerDialect;
import io.waybill.jdbc.internal.sql.Sql;

/** The statements of {@link JdbcView} that are the same for both engines. */
final class ViewStatements {
    private static final PerDialect<ViewStatements> STATEMENTS = new PerDialect<>(ViewStatements::new);

    /** A relay that crashed stays listed for ten minutes after its registration expires. */
    final String relays;

    final String history = """
            SELECT a.id, a.at, a.actor, a.action, a.reason, a.events
            FROM outbox_audit_events x JOIN outbox_audit a ON a.id = x.audit_id WHERE x.event_id = ? ORDER BY a.id""";

    /** Conditions on the age of an event, each with a parameter in milliseconds. */
    final String olderThan;

    final String youngerThan;

    /** The headers of an event as text. */
    final String headers;

    private final String remaining;
    private final String age;
    private final String clock;
    private final String states;

    private ViewStatements(Dialect dialect) {
        clock = dialect.clock();
        relays = """
                SELECT r.name, r.place, r.version, r.started_at, %2$s, r.expires_at > %1$s, r.serving,
                       (SELECT count(*) FROM outbox_lanes l WHERE l.owner = r.name AND l.expires_at > %1$s),
                       r.published_total, CASE WHEN r.expires_at > %1$s THEN r.published_per_second ELSE 0 END
                FROM outbox_relays r WHERE r.expires_at > %1$s - interval '10' minute ORDER BY r.name""".formatted(clock, dialect.secondsBetween("r.heartbeat_at", clock));
        remaining = dialect.secondsBetween(clock, "o.expires_at");
        age = dialect.secondsBetween("o.oldest", clock);
        states = dialect.joinById("outbox_states", "s");
        headers = dialect.jsonText("e.headers");
        String then = dialect.minusMillis(dialect.now());
        olderThan = "e.created_at < " + then;
        youngerThan = "e.created_at > " + then;
    }

    static ViewStatements of(Sql sql) {
        return STATEMENTS.of(sql.dialect());
    }

    /** @param oldestInLane see {@link ViewQueries} */
    String lanes(String oldestInLane) {
        return """
                SELECT o.lane, CASE WHEN o.expires_at > %1$s THEN coalesce(o.owner, '') ELSE '' END, o.fence, %2$s,
                       o.oldest IS NOT NULL, coalesce(greatest(0, %3$s), 0)
                FROM (SELECT l.lane, l.owner, l.fence, l.expires_at, (%4$s) AS oldest FROM outbox_lanes l) o
                ORDER BY o.lane""".formatted(clock, remaining, age, oldestInLane);
    }

    /**
     * Returns the query for events with their states. {@link RecordColumns} reads the result.
     *
     * @param source a query that selects rows of {@code outbox_events}
     */
    String records(String source) {
        return "SELECT " + EventRows.COLUMNS + ", s.state, s.lane, e.seq, s.retry_count, e.created_at,"
                + " s.next_attempt_at, s.last_error, s.locked_by, s.locked_until, s.processed_at"
                + " FROM (" + source + ") e " + states;
    }
}
