package io.waybill.server.database;

import io.waybill.WaybillException;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.layout.Layout;
import io.waybill.server.config.Configuration;
import io.waybill.server.config.Settings;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * The tables of the outbox in a database, or its collections. The installed tables determine the engine; a configured engine must match
 * them.
 */
public interface OutboxTables {
    /** The configured layout; empty when the outbox has Waybill's own tables. */
    static Optional<Layout> layout(Configuration configuration) {
        return configuration.find(Settings.LAYOUT).map(name -> {
            try {
                return Layout.of(name, configuration.workingFolder());
            } catch (WaybillException e) {
                throw new Problem(Exit.USAGE, String.valueOf(e.getMessage()), e);
            }
        });
    }

    OutboxDatabase database();

    Engine engine();

    /** The engine and the served table, for messages. */
    String title();

    int version();

    /** @return whether anything was created */
    boolean create();

    List<String> problems();

    /** The {@link #problems()}, and those that prevent a relay from working on the connections of a command. */
    List<String> relayProblems();

    /** Throws a {@link Problem} that lists the problems of the tables, unless there are none. */
    default OutboxTables requireValid() {
        database().requireNone(problems());
        return this;
    }

    /** Throws a {@link Problem} that lists the problems of the tables and those that prevent a relay from working. */
    default OutboxTables requireValidForRelay() {
        database().requireNone(relayProblems());
        return this;
    }

    /** Like {@link #requireValidForRelay()}, with remedies for {@code relay} and {@code up}; also checks a served table. */
    OutboxTables requireReadyForRelay();

    /** Like {@link #requireValid}, for a service that only inserts: accepts tables that its user cannot check. */
    OutboxTables requireValidForAppend();

    /** Throws a {@link Problem} for relay settings that this engine does not support. */
    OutboxTables forRelay();

    /** Returns the outbox on the connections of a command, which are not pooled and have no time limit for statements. */
    OutboxConnection outbox();

    /** Returns the outbox on connections of its own, with a time limit for connecting and for each statement. */
    OutboxConnection withTimeout(Duration limit);

    /** Returns the outbox on a pool that opens connections on demand and recovers by itself after an outage of the database. */
    OutboxConnection pool(int size);

    /**
     * Returns the outbox on a few connections for operators. Requests fail rather than wait long; idle connections are closed.
     */
    OutboxConnection console();

    EventWriter writer(int maxPayload);

    /** The connections of a command, for plain JDBC; empty if this kind of database has no JDBC driver. */
    Optional<DataSource> dataSource();

    /** The orders that {@code up --demo} changes. */
    DemoOrders demoOrders();

    int lanes();

    /** Throws a {@link Problem} or an exception with the reason if the number of lanes cannot be changed. */
    void changeLanes(int lanes, boolean fenceRelays);

    /** Whether the tables were moved to a cluster that they do not fit. */
    boolean needsRebase();

    /** @return the number of events that wait for their first attempt */
    long rebase();
}
