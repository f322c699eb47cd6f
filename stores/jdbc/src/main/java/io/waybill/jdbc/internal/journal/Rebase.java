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
 * Makes the cursors of a restored dump fit the cluster it was restored into, or those of a sequence that was set back.
 *
 * <p>The old transaction numbers still compare with each other, so the old cursors tell exactly which of the restored events
 * were finished. Events that were written here since are not: their transaction numbers lie between those of the tables' creation
 * and of their rows. When in doubt an event counts as written here, and is published, perhaps once more. Finished events get a
 * number that every snapshot sees; all others get that of this transaction, which every new cursor names as running.
 *
 * <p>Where the sequence was set back, cached or did not come along, the sequence numbers of events that were written here tell nothing of
 * their order. They are numbered anew, by the time at which they were written.
 *
 * <p>Writers wait meanwhile. That keeps the sequence from moving while it is read, and every row from appearing later with a
 * number that the new cursors take for finished.
 */
public final class Rebase {
    /** Whoever held a lane in the old cluster, or believes to hold it in this one, has lost it. */
    private static final String FENCE =
            "UPDATE outbox_lanes SET owner = NULL, fence = fence + 1, expires_at = clock_timestamp()";

    private static final String UNCLAIM =
            "UPDATE outbox_held SET state = 'PENDING', locked_by = NULL, locked_until = NULL WHERE state = 'CLAIMED'";

    /** A restore without its sequences would draw numbers that events have already. */
    private static final String SEQUENCE = """
            SELECT setval('outbox_events_seq_seq', %d)""";

    private static final String HIGHEST = """
            SELECT greatest(1, s.last_value, (SELECT max(seq) FROM outbox_events), (SELECT max(open_end) FROM outbox_cursors))
            FROM outbox_events_seq_seq s""";

    /** With a new file, sessions forget the numbers that they have in store. */
    private static final String REWRITE =
            "ALTER SEQUENCE outbox_events_seq_seq INCREMENT 1 NO MINVALUE NO MAXVALUE NO CYCLE"
                    + " CACHE 1 RESTART WITH %d";

    /** Whether the numbers that this sequence has given out here tell nothing. */
    private static final String DAMAGED = """
            SELECT EXISTS (%s) OR EXISTS (
                SELECT 1 FROM outbox_cursors c, pg_control_system() p
                WHERE c.broken IS NOT NULL OR c.cluster = p.system_identifier AND c.origin = (%s) AND c.sequence <> (%s))
            """.formatted(
            PostgresAssumption.Sources.CACHED, PostgresAssumption.Sources.ORIGIN, PostgresAssumption.Sources.SEQUENCE);

    /**
     * Each event {@code o} with its cursor {@code c}; {@code j.own}: written here; {@code k.trusted}: the snapshots of the cursor are of
     * this cluster; {@code f.finished}. A row knows the lower half of the number of the transaction that wrote it, or of a
     * savepoint in that one, which is higher.
     */
    private static final String JUDGED =
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

    /** In a loop, because the order of an UPDATE is nobody's promise. */
    private static final String NUMBER_ANEW = """
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

    private static final String NOW = """
            SELECT pg_current_snapshot()::text, pg_current_xact_id()::text::bigint,
                   (%s)""".formatted(Cursor.SEQUENCE);

    private static final String RENUMBER = """
            WITH numbered AS (
                UPDATE outbox_events e SET xid = CASE WHEN f.finished THEN '3'::xid8 ELSE pg_current_xact_id() END
                FROM %s
                WHERE e.id = o.id AND (NOT f.finished OR o.xid >= pg_snapshot_xmin(?))
                RETURNING f.finished)
            SELECT count(*) FROM numbered WHERE NOT finished""".formatted(JUDGED);

    private static final String MOVE =
            """
            UPDATE outbox_cursors SET cluster = (SELECT system_identifier FROM pg_control_system()), origin = (%s),
                sequence = (%s), broken = NULL, done = ?, done_seq = ?,
                open = NULL, open_seq = NULL, open_end = ?, pos = 0, claimed = NULL, crashes = 0, suspect = 0""".formatted(PostgresAssumption.Sources.ORIGIN, PostgresAssumption.Sources.SEQUENCE);

    private Rebase() {}

    public static long rebase(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("LOCK TABLE outbox_events IN SHARE ROW EXCLUSIVE MODE");
            Dialect.of(connection).refuseHiddenRows(connection);
            return needed(connection) ? together(connection) : 0;
        }
    }

    private static boolean needed(Connection connection) throws SQLException {
        List<Violation> violations = Assumptions.violations(connection, Engine.JOURNAL);
        return violations.isEmpty()
                ? UnreachableRows.ofAnyLane(connection).isPresent()
                : violations.stream().anyMatch(violation -> violation.concern() == Violation.Concern.REBASE);
    }

    /**
     * Brings all cursors to one common place, wherever each of them was, with writers locked out.
     *
     * @return how many events lie ahead of it
     */
    public static long together(Connection connection) throws SQLException {
        Place place;
        try (Statement statement = connection.createStatement()) {
            statement.execute(FENCE);
            statement.execute("SELECT 1 FROM outbox_cursors ORDER BY lane FOR UPDATE");
            statement.execute(UNCLAIM);
            boolean damaged = UnreachableRows.ofAnyLane(connection).isPresent() || truth(statement, DAMAGED);
            raiseSequence(statement, damaged);
            place = Place.now(connection);
            statement.execute(NUMBER_ANEW.formatted(JUDGED, damaged));
        }
        try (PreparedStatement renumber = connection.prepareStatement(RENUMBER)) {
            renumber.setObject(1, place.snapshot, Types.OTHER);
            long pending;
            try (ResultSet row = renumber.executeQuery()) {
                row.next();
                pending = row.getLong(1);
            }
            place.move(connection);
            return pending;
        }
    }

    private static boolean truth(Statement statement, String query) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            return row.next() && row.getBoolean(1);
        }
    }

    /** Above all that was ever seen of it. */
    private static void raiseSequence(Statement statement, boolean rewrite) throws SQLException {
        long highest;
        try (ResultSet row = statement.executeQuery(HIGHEST)) {
            row.next();
            highest = row.getLong(1);
        }
        if (rewrite) {
            try {
                statement.execute(REWRITE.formatted(highest));
            } catch (SQLException e) {
                if (SqlState.of(e).equals("42501")) {
                    throw new StoreException(
                            "The sequence outbox_events_seq_seq must be altered, and this role may not do that. Run waybill"
                                    + " schema rebase as the owner of the tables. Nothing was changed.",
                            e);
                }
                throw e;
            }
        }
        statement.execute(SEQUENCE.formatted(highest));
    }

    /** Moves all cursors to now, with writers locked out: ahead of them lies what this transaction has written. */
    public static void toNow(Connection connection) throws SQLException {
        Place.now(connection).move(connection);
    }

    private record Place(String snapshot, long sequence) {
        static Place now(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(NOW)) {
                row.next();
                String snapshot = Cursor.extended(row.getString(1), row.getLong(2));
                if (snapshot == null) {
                    throw new StoreException("Too many transactions are open to place the cursors. Try again.", null);
                }
                return new Place(snapshot, row.getLong(3));
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
