package io.waybill.jdbc.internal.sql;

import io.waybill.jdbc.DatabaseProduct;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.inbox.PortableMarks;
import io.waybill.jdbc.inbox.ProcessedMarks;
import io.waybill.jdbc.internal.assumption.Violation;
import io.waybill.jdbc.internal.queue.LaneClaim;
import io.waybill.jdbc.internal.queue.PendingQuery;
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
 * How one database spells what Waybill says. Statements are written in PostgreSQL's SQL, which therefore runs as it is written;
 * a dialect says the same in its own. What has a default here is the way that any database can go.
 */
public interface Dialect {
    /** Of the database that this connection leads to; asks the driver, not the database. */
    static Dialect of(Connection connection) throws SQLException {
        return DatabaseProduct.of(connection).dialect();
    }

    /** The statement as this database understands it. */
    String sql(String statement);

    /** Binds what databases take in different ways: ids, times and JSON. */
    void bind(PreparedStatement statement, int index, Object value) throws SQLException;

    UUID uuid(ResultSet row, int column) throws SQLException;

    @Nullable
    Instant instant(ResultSet row, int column) throws SQLException;

    /**
     * What a take-over of lanes begins with, because the proof of fences locks something else than the lanes; empty where it does
     * not.
     */
    Optional<String> laneLock();

    /** What must be said before a transaction begins on a connection that is not in READ COMMITTED; empty for nothing. */
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

    /** Where that is a matter of the session, sets it there, until the limits are closed. */
    default Limits limit(Connection connection, Duration patience) throws SQLException {
        return Limits.NONE;
    }

    /** The same for a transaction that claims: ends one whose client says nothing for this long. */
    default Limits limitSilence(Connection connection, Duration patience) throws SQLException {
        return Limits.NONE;
    }

    /** What was set for a session; closing puts the former values back, as far as the connection is alive. */
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

    /** Keeps others out who want to create tables. */
    void lockSchema(Connection connection) throws SQLException;

    void unlockSchema(Connection connection) throws SQLException;

    /** Whether tables are created all or none, as one script; else statement by statement, each final at once. */
    boolean transactionalTables();

    /** The standard codes for what this database's own codes mean. */
    Map<Integer, String> errors();

    /** The script of that name, as it creates tables here. */
    SqlScript script(String name);

    /** What it can keep an outbox with, the usual one first. */
    default List<Engine> engines() {
        return List.of(Engine.QUEUE);
    }

    /** Whether tables that are not Waybill's can be served here. */
    default boolean servesLayouts() {
        return false;
    }

    /** What ends an INSERT that may find its key taken; empty where that fails, and the transaction goes on all the same. */
    default String unlessThere() {
        return "";
    }

    /** How a statement takes a list of values. */
    default ListBinding lists() {
        return ListBinding.SPELLED_OUT;
    }

    /** How it reads what waits in several lanes. */
    default PendingQuery waiting() {
        return PendingQuery.UNITED;
    }

    /** Whether it takes several statements as one message, and stops at the first that fails. */
    default boolean together() {
        return false;
    }

    /** Has the open claims of these lanes written, and each told by which mark its row is known from now on. */
    default void record(StatementPipeline message, List<LaneClaim> lanes) {
        PlainSql.record(message, lanes);
    }

    /**
     * Refuses a value that is too large to be sent to the database, with a state of class 54, where the attempt would end the
     * connection and could not be told from an outage.
     */
    default void requireRoom(Connection connection, byte[] value) throws SQLException {}

    /** How the inbox marks what it is given. */
    default ProcessedMarks inboxMarks() {
        return new PortableMarks();
    }

    /**
     * What the engine assumes about this database and does not find.
     *
     * @param connection in a transaction, as a relay has it
     */
    List<Violation> violations(Connection connection, Engine engine) throws SQLException;

    /** The query for the columns of a table, given its name, in lower case. */
    default String columns() {
        return "SELECT lower(column_name) FROM information_schema.columns"
                + " WHERE table_schema = schema() AND lower(table_name) = ?";
    }

    /** Makes the rest of the transaction fail where policies of the database would hide rows from it. */
    default void refuseHiddenRows(Connection connection) throws SQLException {}

    /** The statements that grant this, table by table, to who has that name. */
    default List<String> grants(Map<String, String> privileges, String name) {
        return privileges.entrySet().stream()
                .map(table -> "GRANT " + table.getValue() + " ON " + table.getKey() + " TO " + name + ";")
                .toList();
    }
}
