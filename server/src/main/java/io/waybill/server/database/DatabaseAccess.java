package io.waybill.server.database;

import io.waybill.server.config.Configuration;
import io.waybill.server.problem.Problem;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One kind of database: its addresses, its schema, and what it supports. Commands never depend on the kind itself. */
public interface DatabaseAccess {
    /** The name in commands, such as {@code mariadb}. */
    String label();

    /** The name in messages, such as {@code MariaDB}. */
    String title();

    /** The URL schemes of its addresses. */
    default Set<String> schemes() {
        return Set.of(label());
    }

    /** An example of an address. */
    String example();

    /** Parses an address with one of the {@link #schemes}. Explicit user and password override those in the address. */
    DatabaseAddress address(String url, @Nullable String user, @Nullable String password);

    /** Returns the database with this address. Does not connect. */
    OutboxDatabase open(DatabaseAddress address, Configuration configuration);

    /** Throws a {@link Problem} for a setting, such as a layout or an engine, that this kind of database does not support. Does not connect. */
    void require(Configuration configuration);

    /** The schema of the outbox, with the engine and the layout of the configuration. */
    SchemaText outboxSchema(Configuration configuration);

    SchemaText inboxSchema();

    /** Throws a {@link Problem} if this kind of database stores no sagas. */
    SchemaText sagaSchema();

    /** A shell command that appends an event without Waybill; empty when no other process can connect. Contains no secrets. */
    Optional<ShellLine> shellLine(DatabaseAddress address);

    /** Whether the failure comes from a database of this kind. */
    boolean recognizes(Throwable failure);

    /** Whether the database, which has failed, can never store the given data. */
    boolean refusesData(Throwable failure);

    /** @param title what the line does, as in "with plain SQL, in any transaction" */
    record ShellLine(String title, String line) {}
}
