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
    /** The dialect of a connection's database. Asks the driver, without a round trip. */
    static Dialect of(Connection connection) throws SQLException {
        return DatabaseProduct.of(connection).dialect();
    }

    /** Returns the argument that is written for this database. */
    <S> S choose(S postgres, S mariaDb, S h2);

    /** The time at which the transaction began; where the database has none, the same as {@link #clock}. */
    String now();

    /** The current time. */
    String clock();

    /** A time as many seconds later as one parameter, a {@link Duration}, says. */
    String plusSeconds(String time);

    /** A time as many seconds earlier as one parameter, a {@link Duration}, says. */
    String minusSeconds(String time);

    /** A time as many milliseconds later as one parameter says. */
    String plusMillis(String time);

    /** A time as many milliseconds earlier as one parameter says. */
    String minusMillis(String time);

    /** The seconds between two times, with their fraction. */
    String secondsBetween(String from, String to);

    /** The microseconds between two times, as a whole number. */
    String microsBetween(String from, String to);

    /** The time that is later than any other. An event scheduled then waits for another event or for an operator. */
    String infinity();

    /** Whether a column holds a time before another one, so that an index on the column serves. */
    default String isBefore(String column, String time) {
        return column + " < " + time;
    }

    /** One parameter of a type that the database could not infer from its place. */
    String typed(SqlType type);

    String asBigint(String value);

    /** Text as an id, comparable with a column of ids so that its index serves. */
    String asUuid(String text);

    /** A JSON column as the text that was written. */
    default String jsonText(String column) {
        return column;
    }

    /** About the bytes that a text or JSON column takes up in the table, known without reading its value. */
    String storedSize(String column);

    /** The length of a text or JSON column. */
    String length(String column);

    /** A text column, compared byte by byte. */
    default String bytewise(String column) {
        return column;
    }

    /** A column whose name is a keyword in some database. */
    String name(String column);

    /** Ends a SELECT: locks its rows against changes. */
    String forShare();

    /** Joins the row {@code alias} of the same id to each row {@code e}. */
    default String joinById(String table, String alias) {
        return "JOIN " + table + " " + alias + " ON " + alias + ".id = e.id";
    }

    /** Deletes as many of the rows as the last parameter says, where possible the first ones in this order. */
    default String deleteFirst(String table, String condition, String order) {
        return "DELETE FROM " + table + " WHERE " + condition + " LIMIT ?";
    }

    /** The query for whether there is a table, given its name in lower case. */
    String tableExists();

    /** Binds a value whose binding differs between databases: an id, a time or JSON. */
    void bind(PreparedStatement statement, int index, Object value) throws SQLException;

    UUID uuid(ResultSet row, int column) throws SQLException;

    @Nullable
    Instant instant(ResultSet row, int column) throws SQLException;

    /** The statement that makes the next transaction READ COMMITTED; empty where that is the default. */
    Optional<String> isolation();

    /**
     * The query that every transaction of a store begins with: makes it plan along the indexes. A statement of its own, since a
     * setting has no effect on the statement that makes it. Empty where there is nothing to set.
     */
    default Optional<String> transactionSettings() {
        return Optional.empty();
    }

    /**
     * The same for a transaction that, moreover, waits for locks no longer than this, and is ended by the database when its client
     * says nothing for as long: a process that is stopped inside it would keep its locks for as long as it is stopped.
     */
    default Optional<String> transactionSettings(Duration patience) {
        return transactionSettings();
    }

    /** Sets the same limits for the session, until they are closed, where they cannot be set for a transaction. */
    default Limits limit(Connection connection, Duration patience) throws SQLException {
        return Limits.NONE;
    }

    /** Lets the database end a claiming transaction whose client is silent for this long. */
    default Limits limitSilence(Connection connection, Duration patience) throws SQLException {
        return Limits.NONE;
    }

    /** Limits of a session. Closing them restores the former values, unless the connection is dead. */
    @FunctionalInterface
    interface Limits {
        Limits NONE = () -> {};

        void close();

        /** Runs one statement now and the other when closed. */
        static Limits set(Connection connection, String now, String afterwards) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute(now);
            }
            return () -> {
                try (Statement statement = connection.createStatement()) {
                    statement.execute(afterwards);
                } catch (SQLException e) {
                    // the connection is gone, and with it the session
                }
            };
        }
    }

    /** Lets one caller at a time create tables. */
    void lockSchema(Connection connection) throws SQLException;

    void unlockSchema(Connection connection) throws SQLException;

    /** Whether a transaction can create tables; if not, each statement of a script commits by itself. */
    boolean transactionalTables();

    /** The SQL states for error codes of this database. */
    Map<Integer, String> errors();

    /** The script of that name for this database. */
    SqlScript script(String name);

    /** The engines that run on this database, the default first. */
    default List<Engine> engines() {
        return List.of(Engine.QUEUE);
    }

    /** Whether layouts can serve tables that are not Waybill's. */
    default boolean servesLayouts() {
        return false;
    }

    /** Ends an INSERT whose key may exist; empty where such an INSERT fails and the transaction stays usable. */
    default String unlessThere() {
        return "";
    }

    /** How a statement takes a list of values. */
    default ListBinding lists() {
        return ListBinding.EXPANDED;
    }

    /** Whether the driver sends several statements as one message, and the database stops at the first that fails. */
    default boolean together() {
        return false;
    }

    /**
     * Refuses a value that is too large to be sent to the database, with a state of class 54, where the attempt would end the
     * connection and could not be told from an outage.
     */
    default void requireRoom(Connection connection, byte[] value) throws SQLException {}

    /** The query for the columns of a table, given its name, in lower case. */
    default String columns() {
        return "SELECT lower(column_name) FROM information_schema.columns"
                + " WHERE table_schema = schema() AND lower(table_name) = ?";
    }

    /** Makes later statements of the transaction fail where row-level security would hide rows from them. */
    default void refuseHiddenRows(Connection connection) throws SQLException {}

    /** The statements that grant these privileges, by table, to a role. */
    default List<String> grants(Map<String, String> privileges, String name) {
        return privileges.entrySet().stream()
                .map(table -> "GRANT " + table.getValue() + " ON " + table.getKey() + " TO " + name + ";")
                .toList();
    }
}
