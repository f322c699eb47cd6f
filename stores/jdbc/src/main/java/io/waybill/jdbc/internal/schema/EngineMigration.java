package io.waybill.jdbc.internal.schema;

import io.waybill.jdbc.DatabaseProduct;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.internal.journal.Rebase;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Moves the outbox from the tables of one engine to those of the other, in one transaction.
 *
 * <p>The new tables are created beside the old ones and filled from them. The journal needs a certain order of columns, so the
 * old tables cannot be altered. The temporary table {@code outbox_moving} contains the events that are not published: pending and
 * held events, dead letters and discarded events. It is filled from the tables of the old engine, {@link #ORDER_KEYS} brings the
 * events of each key into a state that both engines understand, and the tables of the new engine are filled from it. Sequence
 * numbers stay the same, so the order of every key is preserved.
 */
public final class EngineMigration {
    private static final String MOVING = """
            CREATE TABLE outbox_moving (id uuid PRIMARY KEY, seq bigint, aggregate_id varchar(255), state varchar(16),
                retry_count integer, crash_count integer, next_attempt_at timestamptz, last_error text,
                dead_at timestamptz, settled_at timestamptz)""";

    private static final String FROM_QUEUE = """
            INSERT INTO outbox_moving
            SELECT id, seq, aggregate_id, CASE state WHEN 'CLAIMED' THEN 'PENDING' ELSE state END, retry_count, crash_count,
                   next_attempt_at, last_error, dead_at, coalesce(processed_at, dead_at)
            FROM outbox_events_old WHERE processed_at IS NULL OR state <> 'PUBLISHED'""";

    private static final String FROM_JOURNAL = """
            INSERT INTO outbox_moving
            SELECT e.id, e.seq, e.aggregate_id, CASE WHEN h.state <> 'CLAIMED' THEN h.state ELSE 'PENDING' END,
                   coalesce(h.retry_count, f.crashes), coalesce(h.crash_count, f.crashes), h.next_attempt_at, h.last_error,
                   h.dead_at, h.settled_at
            FROM outbox_events_old e JOIN outbox_cursors c ON c.lane = outbox_lane(e.aggregate_id)
            CROSS JOIN LATERAL (
                SELECT pg_visible_in_snapshot(e.xid, c.done)
                           OR c.open IS NOT NULL AND e.seq <= c.pos AND pg_visible_in_snapshot(e.xid, c.open) AS finished,
                       CASE WHEN c.open IS NOT NULL AND e.seq <= c.suspect AND pg_visible_in_snapshot(e.xid, c.open)
                            THEN c.crashes ELSE 0 END AS crashes) f
            LEFT JOIN outbox_held h ON h.id = e.id
            WHERE CASE WHEN h.id IS NULL THEN NOT f.finished ELSE h.state <> 'PUBLISHED' END""";

    /**
     * If a key has failures, its first open event becomes due and all others are parked behind it, or behind a dead letter that blocks
     * the key. Both engines free parked events in order.
     */
    private static final String ORDER_KEYS = """
            UPDATE outbox_moving m
            SET state = CASE WHEN o.place = 1 THEN 'PENDING' ELSE 'PARKED' END,
                next_attempt_at = CASE WHEN o.place > 1 THEN 'infinity'::timestamptz
                                       WHEN m.next_attempt_at < 'infinity' THEN m.next_attempt_at ELSE now() END
            FROM (SELECT id, row_number() OVER (PARTITION BY aggregate_id ORDER BY seq) AS place,
                         bool_or(next_attempt_at IS NOT NULL OR retry_count > 0 OR crash_count > 0)
                             OVER (PARTITION BY aggregate_id) AS failing
                  FROM outbox_moving
                  WHERE state IN ('PENDING', 'PARKED') OR state = 'DEAD_LETTER' AND next_attempt_at IS NOT NULL) o
            WHERE m.id = o.id AND o.failing AND m.state <> 'DEAD_LETTER'""";

    private static final String EVENT_COLUMNS =
            "id, aggregate_type, aggregate_id, aggregate_version, event_type, event_version, topic,"
                    + " headers, occurred_at, created_at, payload";

    /** Events before their first attempt get the number of this transaction. All others get a number that every snapshot sees. */
    private static final String TO_JOURNAL = """
            INSERT INTO outbox_events (xid, seq, %s) OVERRIDING SYSTEM VALUE
            SELECT CASE WHEN m.state = 'PENDING' AND m.next_attempt_at IS NULL THEN pg_current_xact_id() ELSE '3'::xid8 END,
                   e.seq, %s
            FROM outbox_events_old e LEFT JOIN outbox_moving m ON m.id = e.id ORDER BY e.seq""".formatted(EVENT_COLUMNS, "e." + EVENT_COLUMNS.replace(", ", ", e."));

    private static final String TO_HELD = """
            INSERT INTO outbox_held (id, seq, aggregate_id, state, retry_count, crash_count, next_attempt_at, last_error,
                                     dead_at, settled_at)
            SELECT id, seq, aggregate_id, state, retry_count, crash_count, next_attempt_at, last_error, dead_at, settled_at
            FROM outbox_moving WHERE NOT (state = 'PENDING' AND next_attempt_at IS NULL)""";

    /** The journal does not record when an event was published. Its retention starts at the creation time. */
    private static final String TO_QUEUE = """
            INSERT INTO outbox_events (seq, %s, state, retry_count, crash_count, next_attempt_at, processed_at, dead_at,
                                       last_error) OVERRIDING SYSTEM VALUE
            SELECT e.seq, %s, coalesce(m.state, 'PUBLISHED'), coalesce(m.retry_count, 0), coalesce(m.crash_count, 0),
                   m.next_attempt_at,
                   CASE WHEN m.id IS NULL THEN e.created_at
                        WHEN m.state = 'DISCARDED' OR m.state = 'DEAD_LETTER' AND m.next_attempt_at IS NULL
                        THEN coalesce(m.settled_at, now()) END,
                   m.dead_at, m.last_error
            FROM outbox_events_old e LEFT JOIN outbox_moving m ON m.id = e.id ORDER BY e.seq""".formatted(EVENT_COLUMNS, "e." + EVENT_COLUMNS.replace(", ", ", e."));

    private static final String COPY_SEQUENCE =
            "SELECT setval('outbox_events_seq_seq', last_value, is_called) FROM outbox_events_old_seq_seq";

    /** The script creates a fixed number of lanes. The outbox may have another number. */
    private static final List<String> CLAIMS = List.of(
            "DELETE FROM outbox_claims WHERE lane NOT IN (SELECT lane FROM outbox_lanes)",
            "INSERT INTO outbox_claims (lane) SELECT lane FROM outbox_lanes ON CONFLICT DO NOTHING");

    private static final String TRIGGERS = """
            SELECT string_agg(tgname, ', ' ORDER BY tgname) FROM pg_trigger
            WHERE tgrelid = 'outbox_events'::regclass AND NOT tgisinternal
              AND tgname NOT IN ('outbox_events_own_xid', 'outbox_events_replicated')""";

    private static final String POLICIES = """
            SELECT string_agg(polname, ', ' ORDER BY polname) FROM pg_policy WHERE polrelid = 'outbox_events'::regclass""";

    private EngineMigration() {}

    /** @return the number of pending events in the new tables */
    public static long move(Connection connection, Engine from, boolean fence) throws SQLException {
        Engine to = from.other();
        ExclusiveTableLock.acquire(connection, "move the outbox to the " + to.label() + " engine", from, fence);
        try (Statement statement = connection.createStatement()) {
            refuse(statement, TRIGGERS, "triggers");
            refuse(statement, POLICIES, "row-level security policies");
            Grants grants = Grants.read(statement);
            renameOld(statement, from);
            statement.execute(MOVING);
            statement.execute(from == Engine.JOURNAL ? FROM_JOURNAL : FROM_QUEUE);
            statement.execute(ORDER_KEYS);
            statement.execute("DELETE FROM waybill_schema WHERE component = 'outbox'");
            statement.execute(
                    DatabaseProduct.of(connection).script(to.label() + ".sql").text());
            fill(connection, statement, to);
            grants.grant(statement, to);
            return drop(statement, from);
        }
    }

    private static void refuse(Statement statement, String query, String what) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            row.next();
            if (row.getString(1) != null) {
                throw new StoreException(
                        "outbox_events has " + what + " that the migration would lose: " + row.getString(1)
                                + ". Drop them, migrate, and create them again. Nothing was changed.",
                        null);
            }
        }
    }

    /** Renames the old table, its indexes and its sequence, so that the new ones can have their names. */
    private static void renameOld(Statement statement, Engine from) throws SQLException {
        statement.execute("DROP VIEW " + String.join(", ", from.views()));
        List<String> indexes = new ArrayList<>();
        try (ResultSet row = statement.executeQuery("SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid ="
                + " i.indexrelid WHERE i.indrelid = 'outbox_events'::regclass")) {
            while (row.next()) {
                indexes.add(row.getString(1));
            }
        }
        for (String index : indexes) {
            statement.execute("ALTER INDEX \"" + index + "\" RENAME TO \"" + index + "_old\"");
        }
        statement.execute("ALTER SEQUENCE outbox_events_seq_seq RENAME TO outbox_events_old_seq_seq");
        statement.execute("ALTER TABLE outbox_events RENAME TO outbox_events_old");
    }

    private static void fill(Connection connection, Statement statement, Engine to) throws SQLException {
        if (to == Engine.JOURNAL) {
            statement.execute("ALTER TABLE outbox_events DISABLE TRIGGER outbox_events_own_xid");
            statement.execute(TO_JOURNAL);
            statement.execute("ALTER TABLE outbox_events ENABLE TRIGGER outbox_events_own_xid");
            statement.execute(TO_HELD);
            statement.execute(COPY_SEQUENCE);
            Rebase.moveCursorsToNow(connection);
        } else {
            statement.execute(TO_QUEUE);
            statement.execute(COPY_SEQUENCE);
            for (String sql : CLAIMS) {
                statement.execute(sql);
            }
        }
    }

    private static long drop(Statement statement, Engine from) throws SQLException {
        long pending;
        try (ResultSet row =
                statement.executeQuery("SELECT count(*) FROM outbox_moving WHERE state IN ('PENDING', 'PARKED')")) {
            row.next();
            pending = row.getLong(1);
        }
        statement.execute("DROP TABLE outbox_moving, outbox_events_old, " + String.join(", ", from.own()));
        if (from == Engine.JOURNAL) {
            statement.execute("DROP FUNCTION outbox_foreign_xid()");
        }
        return pending;
    }
}
