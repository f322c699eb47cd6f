package io.waybill.server.database;

import io.waybill.jdbc.DatabaseProduct;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** One kind of database, as the program must know it: a dialect is to the tables what this is to the commands. */
public interface DatabaseAccess {
    DatabaseProduct product();

    /** What addresses of it begin with. */
    default Set<String> schemes() {
        return Set.of(product().label());
    }

    String example();

    /** Reads an address of one of the {@link #schemes}, with or without {@code jdbc:}; user and password given apart win. */
    DatabaseAddress address(String url, @Nullable String user, @Nullable String password);

    DataSource connect(DatabaseAddress address, ConnectionOptions options) throws SQLException;

    /** Whether pooled connections commit each statement unless told otherwise: no where telling them takes a round trip. */
    default boolean autoCommit() {
        return true;
    }

    /**
     * What is wanted of connections; an address that says otherwise wins.
     *
     * @param answerSeconds how long a statement may take; 0 for as long as it likes
     * @param schema where Waybill's tables are, if not where connections look by default
     * @param mayCreate whether a database that is not there may be created
     */
    record ConnectionOptions(
            int connectSeconds, int answerSeconds, @Nullable String schema, boolean mayCreate) {}

    /** What the doctor asks of it. */
    ServerCheck check();

    /** A line for a shell that appends an event with plain SQL; empty when no other process can. Holds no secret. */
    Optional<String> shellLine(DatabaseAddress address);

    /** The server's own short message, without the driver's decoration. */
    default String serverMessage(SQLException e) {
        String message = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
        return message.endsWith(".") ? message.substring(0, message.length() - 1) : message;
    }

    /** What to do when it does not let a user in. */
    default String loginRemedy() {
        return "Create the user, or correct database.user.";
    }

    /** What to do when there is no database of that name. */
    default String createRemedy(DatabaseAddress address) {
        String name = address.place().replaceFirst(".*/", "");
        return "Create it (CREATE DATABASE " + name + "), or correct the name in --database.";
    }

    /**
     * A plain INSERT as it is written between double quotes in a shell.
     *
     * @param id what makes a random one
     */
    static String exampleInsert(String id) {
        return "\"INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, payload) VALUES (" + id
                + ", 'Order', '42', 'order.placed', '{\\\"total\\\":10}')\"";
    }
}
