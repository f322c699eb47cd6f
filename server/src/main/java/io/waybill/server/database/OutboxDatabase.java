package io.waybill.server.database;

import io.waybill.jdbc.Engine;
import io.waybill.jdbc.layout.Layout;
import io.waybill.jdbc.layout.LayoutFinding;
import io.waybill.saga.store.SagaStore;
import io.waybill.server.config.Configuration;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Finding;
import io.waybill.server.problem.Problem;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

/** One database with what Waybill stores in it: the outbox, the inbox and sagas. Explains the errors of its server. */
public interface OutboxDatabase extends AutoCloseable {
    DatabaseAddress address();

    /** The same database, created on connect if it is missing and this kind of database allows that. Use it before creating tables. */
    OutboxDatabase creating();

    /** Connects once, and throws a {@link Problem} with the cause and the remedy when that fails. */
    void ping();

    /** Connects and determines the engine, without checking the tables. If there are none, it is the engine for new tables. */
    OutboxTables outbox(Configuration configuration);

    /** Like {@link #outbox(Configuration)}, with a time limit for connecting and for each statement of a command. */
    OutboxTables outbox(Configuration configuration, Duration limit);

    StoredPart<InboxOperations> inbox();

    /** Throws a {@link Problem} if this kind of database stores no sagas. */
    StoredPart<SagaStore<?>> sagas();

    /** The checks of {@code waybill doctor}. An unreachable database is a finding, too. */
    List<Finding> examine(Configuration configuration);

    /** Checks an existing table against a layout. Throws a {@link Problem} if layouts cannot serve tables in this database. */
    List<LayoutFinding> check(Layout layout);

    /**
     * Moves the outbox to another engine.
     *
     * @return the number of pending events; empty if the outbox has the engine already
     */
    OptionalLong migrate(Engine engine, boolean fenceRelays);

    Problem explain(Throwable failure);

    /** Whether a later attempt may succeed: the server is unreachable, starting, stopping or out of connections. */
    boolean isTransient(Throwable failure);

    /** Throws a {@link Problem} that lists the problems of the schema, unless there are none. */
    default void requireNone(List<String> problems) {
        if (!problems.isEmpty()) {
            throw new Problem(
                    Exit.DATABASE, "The outbox in " + address() + " cannot be used: " + String.join(" ", problems));
        }
    }

    /** Closes the connections that this database keeps for commands. */
    @Override
    void close();
}
