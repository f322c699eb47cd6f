package io.waybill.jdbc.internal.sql;

import io.waybill.jdbc.DatabaseProduct;
import io.waybill.jdbc.Engine;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The differences between databases: the fragments that statements are composed of, how values are bound and read, and what a
 * database can do. A default is the behaviour of most databases.
 */
public interface Dialect {
    /** Returns the dialect of a connection's database. The driver knows the product, so this costs no round trip. */
    static Dialect of(Connection connection) throws SQLException {
        return DatabaseProduct.of(connection).dialect();
    }

    /** Returns the argument that belongs to this database. */
    <S> S choose(S postgres, S mariaDb, S h2);

    /** The start time of the transaction. Databases that do not know it return the same as {@link #clock}. */
    String now();

    /** The current time. */
    String clock();

    /** A time plus the seconds in one parameter, a {@link Duration}. */
    String plusSeconds(String time);

    /** A time minus the seconds in one parameter, a {@link Duration}. */
    String minusSeconds(String time);

    /** A time plus the milliseconds in one parameter. */
    String plusMillis(String time);

    /** A time minus the milliseconds in one parameter. */
    String minusMillis(String time);

    /** The seconds between two times, with their fraction. */
    String secondsBetween(String from, String to);

    /** The microseconds between two times, as a whole number. */
    String microsBetween(String from, String to);

    /** A time later than all others. An event with this attempt time waits for an earlier event of its key or for an operator. */
    String infinity();

    /** The condition that a column holds an earlier time than the given one, in a form that an index on the column can serve. */
    default String isBefore(String column, String time) {
        return column + " < " + time;
    }

    /** One parameter with its type, for places where the database cannot infer the type. */
    String typed(SqlType type);

    String asBigint(String value);

    /** Text converted to an event id. A comparison of the result with an id column can use the column's index. */
    String asUuid(String text);

    /** A JSON column as text. */
    default String jsonText(String column) {
        return column;
    }

    /** The approximate bytes that a text or JSON column occupies in the table. The database computes it without reading the value. */
    String storedSize(String column);

    /** The length of a text or JSON column. */
    String length(String column);

    /** A text column, sorted and compared byte by byte. */
    default String bytewise(String column) {
        return column;
    }

    /** The name of a column in quotes, for names that are keywords in some database. */
    String quoted(String column);

    /** The hint after a table in FROM that makes the database use this index. Empty where the database chooses it anyway. */
    default String forceIndex(String index) {
        return "";
    }

    /** The clause at the end of a SELECT that locks its rows against changes. */
    String forShare();

    /** Joins to each row {@code e} the row of {@code table} with the same id, under the name {@code alias}. */
    default String joinById(String table, String alias) {
        return "JOIN " + table + " " + alias + " ON " + alias + ".id = e.id";
    }

    /** Deletes matching rows, at most as many as the last parameter says, and where possible the first ones in this order. */
    default String deleteFirst(String table, String condition, String order) {
        return "DELETE FROM " + table + " WHERE " + condition + " LIMIT ?";
    }

    /** The query that tells whether a table exists. Its parameter is the table's name in lower case. */
    String tableExists();

    /** Binds a value whose binding differs between databases: an id, a time or JSON. */
    default void bind(PreparedStatement statement, int index, Object value) throws SQLException {
        if (value instanceof Instant time) {
            statement.setObject(index, time.atOffset(ZoneOffset.UTC));
        } else if (value instanceof JsonValue json) {
            statement.setString(index, json.text());
        } else {
            statement.setObject(index, value);
        }
    }

    default UUID uuid(ResultSet row, int column) throws SQLException {
        return row.getObject(column, UUID.class);
    }

    default @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    /** The statement that makes the next transaction READ COMMITTED. Empty where READ COMMITTED is the default. */
    Optional<String> setReadCommitted();

    /**
     * The query at the start of every store transaction. It makes the planner use the indexes. It is a separate statement because a
     * setting does not affect the statement that sets it. Empty where the database needs no settings.
     */
    default Optional<String> transactionSettings() {
        return Optional.empty();
    }

    /**
     * The same settings, with two timeouts for the transaction: the longest wait for a lock, and the longest time without a
     * statement before the database ends the transaction. Without the second one, a process that is frozen inside a transaction
     * would keep its locks until it continues.
     */
    default Optional<String> transactionSettings(Duration timeout) {
        return transactionSettings();
    }

    /** Sets both timeouts for the session, where they cannot be set for a single transaction. Closing the result restores them. */
    default SessionTimeouts setTimeouts(Connection connection, Duration timeout) throws SQLException {
        return SessionTimeouts.NONE;
    }

    /** Sets only the idle timeout: the database ends a transaction whose client sends no statement for this long. */
    default SessionTimeouts setIdleTimeout(Connection connection, Duration timeout) throws SQLException {
        return SessionTimeouts.NONE;
    }

    /** Changed timeouts of a session. Closing restores the former values, unless the connection is lost. */
    @FunctionalInterface
    interface SessionTimeouts {
        SessionTimeouts NONE = () -> {};

        void close();

        /** Executes the first statement now and the second one when closed. */
        static SessionTimeouts set(Connection connection, String set, String restore) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute(set);
            }
            return () -> {
                try (Statement statement = connection.createStatement()) {
                    statement.execute(restore);
                } catch (SQLException e) {
                    // The connection is lost. The session and its timeouts ended with it.
                }
            };
        }
    }

    /** Acquires the lock that allows one caller at a time to create tables. */
    void lockSchema(Connection connection) throws SQLException;

    void unlockSchema(Connection connection) throws SQLException;

    /** Whether CREATE TABLE is part of a transaction. If not, each statement of a script commits by itself. */
    boolean supportsTransactionalDdl();

    /** Translates error codes of this database into the SQL states of {@link SqlState}. */
    Map<Integer, String> sqlStatesByErrorCode();

    /** Returns the script with this file name for this database. */
    SqlScript script(String name);

    /** The engines that run on this database, the default first. */
    default List<Engine> engines() {
        return List.of(Engine.QUEUE);
    }

    /** Whether layouts can serve existing outbox tables in this database. */
    default boolean servesLayouts() {
        return false;
    }

    /**
     * The clause that makes an INSERT of an existing key a no-op. Empty where such an INSERT fails and leaves the transaction
     * usable.
     */
    default String onConflictDoNothing() {
        return "";
    }

    /** How a statement takes a list of values. */
    default ListBinding listBinding() {
        return ListBinding.EXPANDED;
    }

    /** Whether the driver sends several statements in one round trip, and the database stops at the first one that fails. */
    default boolean supportsPipelining() {
        return false;
    }

    /**
     * Throws an error of class 54 (program limit exceeded) if a value is too large for the database's packet size. Where the server
     * closes the connection on such a value, the attempt to send it would look like an outage.
     */
    default void requireFitsPacket(Connection connection, byte[] value) throws SQLException {}

    /** The query that returns the columns of a table in lower case. Its parameter is the table's name in lower case. */
    default String columns() {
        return "SELECT lower(column_name) FROM information_schema.columns"
                + " WHERE table_schema = schema() AND lower(table_name) = ?";
    }

    /** Makes later statements of the transaction fail where row-level security would hide rows from them. */
    default void refuseHiddenRows(Connection connection) throws SQLException {}

    /** Returns the statements that grant privileges to a role. The map's keys are tables, its values are lists of privileges. */
    default List<String> grants(Map<String, String> privileges, String role) {
        return privileges.entrySet().stream()
                .map(table -> "GRANT " + table.getValue() + " ON " + table.getKey() + " TO " + role + ";")
                .toList();
    }
}
