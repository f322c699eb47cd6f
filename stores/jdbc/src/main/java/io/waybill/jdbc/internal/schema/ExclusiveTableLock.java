package io.waybill.jdbc.internal.schema;

import io.waybill.jdbc.Engine;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.SqlState;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Locks the outbox tables against all other transactions until the current one ends, so that the tables can be rebuilt.
 *
 * <p>The lock on {@code outbox_lanes} is acquired first, in the same order as relays acquire locks. A relay in the middle of its
 * transaction can therefore finish it, without a deadlock. Writers lock only {@code outbox_events}, which is locked last, so that
 * they are blocked for the shortest time. Without the lock timeout, one writer with an endless transaction would block this
 * transaction and all writers that wait behind it.
 */
final class ExclusiveTableLock {
    private static final String LOCK_TIMEOUT = "10s";

    private static final String LIVE =
            "SELECT name FROM outbox_relays WHERE expires_at > clock_timestamp() ORDER BY name COLLATE \"C\"";

    /** Ends all leases: the former owner of each lane is fenced. */
    private static final String FENCE =
            "UPDATE outbox_lanes SET owner = NULL, fence = fence + 1, expires_at = clock_timestamp()";

    private ExclusiveTableLock() {}

    /** @param fence whether to fence relays that are still running; if false, they make this method fail */
    static void acquire(Connection connection, String what, Engine engine, boolean fence) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            // With a stricter isolation, later statements would use a snapshot from before the locks were acquired.
            statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
            statement.execute("SET LOCAL lock_timeout = '" + LOCK_TIMEOUT + "'");
            refuseWhileRelaysRun(statement, what, fence);
            actAsOwner(statement);
            Dialect.of(connection).refuseHiddenRows(connection);
            String tables = Stream.of(List.of("outbox_lanes"), engine.own(), List.of("outbox_events"))
                    .flatMap(List::stream)
                    .collect(Collectors.joining(", "));
            lock(statement, what, "LOCK TABLE " + tables + " IN ACCESS EXCLUSIVE MODE");
            statement.execute(FENCE);
        }
    }

    private static void lock(Statement statement, String what, String sql) throws SQLException {
        try {
            statement.execute(sql);
        } catch (SQLException e) {
            String state = SqlState.of(e);
            if (state.equals(SqlState.LOCK_TIMEOUT) || state.equals(SqlState.DEADLOCK)) {
                throw new StoreException(
                        "Cannot " + what + ": another transaction has locked the outbox tables for " + LOCK_TIMEOUT
                                + ". Find it in pg_stat_activity (xact_start) and end it, or try again. Nothing was changed.",
                        e);
            }
            throw e;
        }
    }

    private static void refuseWhileRelaysRun(Statement statement, String what, boolean fence) throws SQLException {
        List<String> live = new ArrayList<>();
        try (ResultSet row = statement.executeQuery(LIVE)) {
            while (row.next()) {
                live.add(row.getString(1));
            }
        }
        if (!live.isEmpty() && !fence) {
            throw new StoreException(
                    "Cannot " + what + " while relays run: " + String.join(", ", live)
                            + ". Stop them first, or fence them with --fence-relays; then events that they have in flight may be"
                            + " published twice. Nothing was changed.",
                    null);
        }
    }

    /** Switches to the owner and the schema of the existing tables, so that new tables get the same ones. */
    private static void actAsOwner(Statement statement) throws SQLException {
        String role;
        try (ResultSet row = statement.executeQuery("""
                SELECT set_config('search_path', quote_ident(n.nspname), true), quote_ident(o.rolname)
                FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_roles o ON o.oid = c.relowner
                WHERE c.oid = 'outbox_events'::regclass""")) {
            row.next();
            role = row.getString(2);
        }
        statement.execute("SET LOCAL ROLE " + role);
    }
}
