package io.waybill.server.database;

import io.waybill.jdbc.DatabaseProduct;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** What the commands need to know about one kind of database: addresses, drivers, checks and remedies. */
public interface DatabaseAccess {
    DatabaseProduct product();

    /** The URL schemes of its addresses. */
    default Set<String> schemes() {
        return Set.of(product().label());
    }

    String example();

    /** Parses an address with one of the {@link #schemes}, with or without {@code jdbc:}. Explicit user and password override those in the address. */
    DatabaseAddress address(String url, @Nullable String user, @Nullable String password);

    DataSource connect(DatabaseAddress address, ConnectionOptions options) throws SQLException;

    /** Whether pooled connections are in auto-commit mode. False where switching the mode takes a round trip. */
    default boolean autoCommit() {
        return true;
    }

    /**
     * Options of new connections. Parameters in the address override them.
     *
     * @param answerSeconds the time limit for a statement; 0 for no limit
     * @param schema the schema of Waybill's tables; null for the default schema of connections
     * @param mayCreate whether a missing database is created, if this kind of database can do that
     */
    record ConnectionOptions(
            int connectSeconds, int answerSeconds, @Nullable String schema, boolean mayCreate) {}

    /** The checks of {@code waybill doctor}. */
    ServerCheck check();

    /** A shell command that appends an event with plain SQL; empty when no other process can connect. Contains no secrets. */
    Optional<String> shellLine(DatabaseAddress address);

    /** The first line of the server's message, without the additions of the driver. */
    default String serverMessage(SQLException e) {
        String message = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
        return message.endsWith(".") ? message.substring(0, message.length() - 1) : message;
    }

    /** The remedy when the server rejects a user. */
    default String loginRemedy() {
        return "Create the user, or correct database.user.";
    }

    /** The remedy when the database does not exist. */
    default String createRemedy(DatabaseAddress address) {
        String name = address.place().replaceFirst(".*/", "");
        return "Create it (CREATE DATABASE " + name + "), or correct the name in --database.";
    }

    /**
     * A plain INSERT, escaped for use between double quotes in a shell.
     *
     * @param id the SQL expression for a random id
     */
    static String exampleInsert(String id) {
        return "\"INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, payload) VALUES (" + id
                + ", 'Order', '42', 'order.placed', '{\\\"total\\\":10}')\"";
    }
}
