package io.waybill.jdbc.internal.schema;

import io.waybill.jdbc.Engine;
import io.waybill.jdbc.internal.sql.Dialect;
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
 * Keeps everybody else out of the tables until the transaction ends, so that they can be rebuilt.
 *
 * <p>The lanes are locked first, as relays do it; a relay in the middle of its transaction can therefore end it. Writers
 * hold nothing but {@code outbox_events}, which comes last: they wait for the shortest time. A writer that does not end
 * must not make all others wait behind us for ever, hence the limit.
 */
final class ExclusiveTableLock {
    private static final String LOCK_LIMIT = "10s";

    private static final String LIVE =
            "SELECT name FROM outbox_relays WHERE expires_at > clock_timestamp() ORDER BY name COLLATE \"C\"";

    /** Whoever holds a lane has lost it. */
    private static final String FENCE =
            "UPDATE outbox_lanes SET owner = NULL, fence = fence + 1, expires_at = clock_timestamp()";

    private ExclusiveTableLock() {}

    /** @param fence whether to take the lanes of relays that are still running, rather than to refuse */
    static void take(Connection connection, String what, Engine engine, boolean fence) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            // In a stricter isolation all statements would see what was there before the locks were granted.
            statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
            statement.execute("SET LOCAL lock_timeout = '" + LOCK_LIMIT + "'");
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
            String state = String.valueOf(e.getSQLState());
            if (state.equals("55P03") || state.equals("40P01")) {
                throw new StoreException(
                        "Cannot " + what + ": a transaction has kept the outbox busy for " + LOCK_LIMIT
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
                            + ". Stop them first; or let them be fenced (--fence-relays), then what they have in flight may be"
                            + " published twice. Nothing was changed.",
                    null);
        }
    }

    /** New tables shall belong to whom the old ones belong, and stand in the same schema. */
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
