package io.waybill.jdbc.internal.journal;

import io.waybill.jdbc.Engine;
import io.waybill.jdbc.internal.assumption.Assumptions;
import io.waybill.jdbc.internal.assumption.PostgresAssumption;
import io.waybill.jdbc.internal.assumption.Violation;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.SqlState;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.List;

/**
 * Adapts the cursors to the cluster after a dump was restored into another one, or to the sequence after it was set back.
 *
 * <p>The old transaction numbers can still be compared with each other, so the old cursors tell exactly which of the
 * restored events were finished. Events that were written in this cluster since the restore are not finished. They are
 * recognised by their transaction numbers, which lie between that of the tables' creation and that of their rows. If it is
 * uncertain where an event was written, it counts as written in this cluster and is published, perhaps a second time.
 * Finished events get a transaction number that every snapshot sees; all other events get the number of this transaction,
 * which every new cursor lists as running.
 *
 * <p>If the sequence was set back, was cached or was not restored, the sequence numbers of events written in this cluster do
 * not give their order. These events get new sequence numbers, in the order of their creation times.
 *
 * <p>Writers are locked out meanwhile. Otherwise the sequence could advance while it is read, and a row could appear later
 * with a number that the new cursors treat as finished.
 */
public final class Rebase {
    /** Ends every lease: the leases from the old cluster and the leases from this cluster. */
    private static final String FENCE =
            "UPDATE outbox_lanes SET owner = NULL, fence = fence + 1, expires_at = clock_timestamp()";

    private static final String UNCLAIM =
            "UPDATE outbox_held SET state = 'PENDING', locked_by = NULL, locked_until = NULL WHERE state = 'CLAIMED'";

    /** After a restore without sequences, the sequence would assign numbers that events already have. */
    private static final String SET_SEQUENCE = """
            SELECT setval('outbox_events_seq_seq', %d)""";

    private static final String HIGHEST_NUMBER = """
            SELECT greatest(1, s.last_value, (SELECT max(seq) FROM outbox_events), (SELECT max(open_end) FROM outbox_cursors))
            FROM outbox_events_seq_seq s""";

    /** Gives the sequence a new file, so that sessions drop the numbers that they have cached. */
    private static final String REWRITE_SEQUENCE =
            "ALTER SEQUENCE outbox_events_seq_seq INCREMENT 1 NO MINVALUE NO MAXVALUE NO CYCLE"
                    + " CACHE 1 RESTART WITH %d";

    /** Selects whether the sequence numbers assigned in this cluster may contradict the order of events. */
    private static final String DAMAGED = """
            SELECT EXISTS (%s) OR EXISTS (
                SELECT 1 FROM outbox_cursors c, pg_control_system() p
                WHERE c.broken IS NOT NULL OR c.cluster = p.system_identifier AND c.origin = (%s) AND c.sequence <> (%s))
            """.formatted(
            PostgresAssumption.Sources.CACHED, PostgresAssumption.Sources.ORIGIN, PostgresAssumption.Sources.SEQUENCE);

    /**
     * Each event {@code o} with its cursor {@code c}. {@code j.own}: the event was written in this cluster. {@code
     * k.trusted}: the cursor's snapshots come from this cluster. {@code f.finished}: the event is finished. A row's xmin is
     * the lower half of the number of the transaction that wrote it, or of a savepoint in that transaction, whose number is
     * higher.
     */
    private static final String EVENTS_WITH_STATE =
            """
            outbox_cursors c
            CROSS JOIN (SELECT pg_current_xact_id()::text::bigint AS now, (%1$s) AS origin) n
            CROSS JOIN LATERAL (SELECT n.now - ((n.now - n.origin) & 4294967295) AS created,
                                       c.origin = n.origin AND NOT (%2$s) AS trusted) k
            JOIN LATERAL (SELECT * , xmin::text::bigint AS row_xmin FROM outbox_events o
                          WHERE outbox_lane(o.aggregate_id) = c.lane) o ON true
            CROSS JOIN LATERAL (SELECT o.xid::text::bigint
                                       BETWEEN k.created AND n.now - ((n.now - o.row_xmin) & 4294967295) AS own) j
            CROSS JOIN LATERAL (
                SELECT CASE WHEN j.own AND NOT k.trusted THEN false
                            WHEN NOT j.own AND k.trusted AND c.broken = 'REPLICATED' AND o.xid > '3' THEN false
                            ELSE o.seq <= c.open_end AND (pg_visible_in_snapshot(o.xid, c.done)
                                 OR c.open IS NOT NULL AND o.seq <= c.pos AND pg_visible_in_snapshot(o.xid, c.open))
                            END AS finished) f
            """.formatted(PostgresAssumption.Sources.ORIGIN, PostgresAssumption.Sources.AHEAD);

    /** Uses a loop, because an UPDATE does not guarantee an order. */
    private static final String ASSIGN_SEQUENCE_NUMBERS = """
            DO $$
            DECLARE
                event record;
                number bigint;
            BEGIN
                FOR event IN SELECT o.id FROM %s WHERE j.own AND NOT f.finished AND (%s OR NOT k.trusted)
                             ORDER BY o.created_at, o.seq LOOP
                    UPDATE outbox_events SET seq = DEFAULT, xid = pg_current_xact_id() WHERE id = event.id
                    RETURNING seq INTO number;
                    UPDATE outbox_held SET seq = number WHERE id = event.id;
                END LOOP;
            END $$""";

    private static final String POSITION = """
            SELECT pg_current_snapshot()::text, pg_current_xact_id()::text::bigint,
                   (%s)""".formatted(Cursor.SEQUENCE);

    private static final String ASSIGN_TRANSACTION_NUMBERS = """
            WITH numbered AS (
                UPDATE outbox_events e SET xid = CASE WHEN f.finished THEN '3'::xid8 ELSE pg_current_xact_id() END
                FROM %s
                WHERE e.id = o.id AND (NOT f.finished OR o.xid >= pg_snapshot_xmin(?))
                RETURNING f.finished)
            SELECT count(*) FROM numbered WHERE NOT finished""".formatted(EVENTS_WITH_STATE);

    private static final String MOVE =
            """
            UPDATE outbox_cursors SET cluster = (SELECT system_identifier FROM pg_control_system()), origin = (%s),
                sequence = (%s), broken = NULL, done = ?, done_seq = ?,
                open = NULL, open_seq = NULL, open_end = ?, pos = 0, claimed = NULL, crashes = 0, suspect = 0""".formatted(PostgresAssumption.Sources.ORIGIN, PostgresAssumption.Sources.SEQUENCE);

    private Rebase() {}

    /** @return the number of events that are not finished; 0 if no rebase was needed */
    public static long rebase(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("LOCK TABLE outbox_events IN SHARE ROW EXCLUSIVE MODE");
            Dialect.of(connection).refuseHiddenRows(connection);
            return isNeeded(connection) ? alignCursors(connection) : 0;
        }
    }

    private static boolean isNeeded(Connection connection) throws SQLException {
        List<Violation> violations = Assumptions.violations(connection, Engine.JOURNAL);
        return violations.isEmpty()
                ? UnreachableRows.inAnyLane(connection).isPresent()
                : violations.stream().anyMatch(violation -> violation.concern() == Violation.Concern.REBASE);
    }

    /**
     * Moves all cursors to one common position. The caller has locked writers out.
     *
     * @return the number of events ahead of that position
     */
    public static long alignCursors(Connection connection) throws SQLException {
        Position position;
        try (Statement statement = connection.createStatement()) {
            statement.execute(FENCE);
            statement.execute("SELECT 1 FROM outbox_cursors ORDER BY lane FOR UPDATE");
            statement.execute(UNCLAIM);
            boolean damaged = UnreachableRows.inAnyLane(connection).isPresent() || queryBoolean(statement, DAMAGED);
            raiseSequence(statement, damaged);
            position = Position.now(connection);
            statement.execute(ASSIGN_SEQUENCE_NUMBERS.formatted(EVENTS_WITH_STATE, damaged));
        }
        try (PreparedStatement events = connection.prepareStatement(ASSIGN_TRANSACTION_NUMBERS)) {
            events.setObject(1, position.snapshot, Types.OTHER);
            long pending;
            try (ResultSet row = events.executeQuery()) {
                row.next();
                pending = row.getLong(1);
            }
            position.move(connection);
            return pending;
        }
    }

    private static boolean queryBoolean(Statement statement, String query) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            return row.next() && row.getBoolean(1);
        }
    }

    /** Sets the sequence to the highest number that it ever assigned. */
    private static void raiseSequence(Statement statement, boolean rewrite) throws SQLException {
        long highest;
        try (ResultSet row = statement.executeQuery(HIGHEST_NUMBER)) {
            row.next();
            highest = row.getLong(1);
        }
        if (rewrite) {
            try {
                statement.execute(REWRITE_SEQUENCE.formatted(highest));
            } catch (SQLException e) {
                if (SqlState.of(e).equals(SqlState.INSUFFICIENT_PRIVILEGE)) {
                    throw new StoreException(
                            "Cannot alter the sequence outbox_events_seq_seq: this role does not own it. Run waybill"
                                    + " schema rebase as the owner of the tables. Nothing was changed.",
                            e);
                }
                throw e;
            }
        }
        statement.execute(SET_SEQUENCE.formatted(highest));
    }

    /**
     * Moves all cursors to the current position. The caller has locked writers out; only events that this transaction has
     * written are ahead of the cursors.
     */
    public static void moveCursorsToNow(Connection connection) throws SQLException {
        Position.now(connection).move(connection);
    }

    private record Position(String snapshot, long sequence) {
        static Position now(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(POSITION)) {
                row.next();
                String snapshot = Cursor.extended(row.getString(1), row.getLong(2));
                if (snapshot == null) {
                    throw new StoreException(
                            "Cannot place the cursors: too many transactions are open. Try again later.", null);
                }
                return new Position(snapshot, row.getLong(3));
            }
        }

        void move(Connection connection) throws SQLException {
            try (PreparedStatement move = connection.prepareStatement(MOVE)) {
                move.setObject(1, snapshot, Types.OTHER);
                move.setLong(2, sequence);
                move.setLong(3, sequence);
                move.executeUpdate();
            }
        }
    }
}
