package io.waybill.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.admin.DeadLetters;
import io.waybill.admin.OutboxStatus;
import io.waybill.admin.OutboxView;
import io.waybill.chaos.process.ChildProcess;
import io.waybill.chaos.process.FatalTransport;
import io.waybill.chaos.process.Outboxes;
import io.waybill.chaos.process.RelayProgram;
import io.waybill.chaos.process.Transports;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.JdbcEngine;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.relay.Relay;
import io.waybill.relay.RelayBuilder;
import io.waybill.store.OutboxStore;
import io.waybill.testkit.crash.Crash;
import io.waybill.testkit.history.Checker;
import io.waybill.testkit.history.Delivered;
import io.waybill.testkit.history.History;
import io.waybill.testkit.history.HistoryVerdict;
import io.waybill.testkit.history.Ledger;
import io.waybill.testkit.history.Workload;
import io.waybill.transport.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** One run: a database and a topic of its own, writers, relays inside and outside of this process, and the judgement. */
final class Scenario implements AutoCloseable {
    static final int LANES = 8;
    private static final int KEYS = 30;
    private static final String PUBLISHED = "SELECT count(*) FROM outbox_states WHERE state = 'PUBLISHED'";

    private final String name;
    private final Engine engine;
    private final Servers servers;
    private final String topic = "topic-" + UUID.randomUUID();
    private final HikariDataSource pool;
    private final OutboxStore store;
    private final OutboxView view;
    private final Deque<AutoCloseable> resources = new ArrayDeque<>();
    private final Set<UUID> formerlyCommitted = new HashSet<>();
    private final long began = System.nanoTime();

    Scenario(String name) {
        this(name, Engine.QUEUE);
    }

    Scenario(String name, Engine engine) {
        this(name, engine, Servers.shared());
    }

    Scenario(String name, Engine engine, Servers servers) {
        this.name = name + (engine == Engine.JOURNAL ? " (journal)" : "");
        this.engine = engine;
        this.servers = servers;
        this.pool = Outboxes.pool(servers.jdbcUrl(), 12);
        resources.push(pool);
        OutboxSchema.apply(pool, engine);
        Ledger.create(servers.jdbcUrl(), KEYS);
        this.store = store(pool);
        this.view = Outboxes.view(engine, pool);
    }

    /** The relay's side of this scenario's outbox, through other connections. */
    OutboxStore store(DataSource dataSource) {
        return Outboxes.store(engine, dataSource);
    }

    String jdbcUrl() {
        return servers.jdbcUrl();
    }

    String topic() {
        return topic;
    }

    String broker() {
        return servers.broker();
    }

    List<Delivered> read() {
        return servers.read(topic);
    }

    DataSource dataSource() {
        return pool;
    }

    OutboxStore store() {
        return store;
    }

    OutboxView view() {
        return view;
    }

    DeadLetters deadLetters() {
        return JdbcEngine.on(pool, engine).deadLetters();
    }

    OutboxStatus status() {
        return view().status();
    }

    /** Writers over 30 keys whose events go to this scenario's topic. */
    Workload.Builder workload() {
        return Workload.on(servers.jdbcUrl(), JdbcOutbox.create(), topic).keys(KEYS);
    }

    Transport transport() {
        return transport(Duration.ofSeconds(15));
    }

    /** Closed with the scenario. */
    Transport transport(Duration sendTimeout) {
        return using(Transports.to(servers.broker(), sendTimeout));
    }

    RelayBuilder relay(String relay, Duration lease) {
        return relay(relay, lease, store(), transport());
    }

    static RelayBuilder relay(String relay, Duration lease, OutboxStore store, Transport transport) {
        return Relay.builder(store, transport).name(relay).lease(lease).workers(2);
    }

    /** Starts a relay in this process; closed with the scenario. */
    Relay start(RelayBuilder builder) {
        Relay relay = using(builder.build());
        relay.start();
        return relay;
    }

    /**
     * A relay with one worker in a process of its own, killed with the scenario.
     *
     * @param crash what shall happen to it, as {@link Crash} spells it; empty for nothing
     */
    ChildProcess process(String relay, Duration lease, String crash) {
        List<String> options = crash.isEmpty() ? List.of() : List.of("-D" + Crash.PROPERTY + "=" + crash);
        return using(RelayProgram.start(engine, servers.jdbcUrl(), servers.broker(), relay, lease, options));
    }

    /** The same, and one message ends it. */
    ChildProcess process(String relay, Duration lease, UUID fatal) {
        List<String> options = List.of("-D" + FatalTransport.PROPERTY + "=" + fatal);
        return using(RelayProgram.start(engine, servers.jdbcUrl(), servers.broker(), relay, lease, options));
    }

    /** A relay with little memory, in a process of its own, whose broker takes everything. */
    ChildProcess smallProcess(String relay, Duration lease) {
        return using(
                RelayProgram.start(engine, servers.jdbcUrl(), RelayProgram.NOWHERE, relay, lease, List.of("-Xmx48m")));
    }

    <T extends AutoCloseable> T using(T resource) {
        resources.push(resource);
        return resource;
    }

    /** A relay adds a random part to its name. */
    void awaitOwner(String relay, int lanes, Duration limit) {
        await("relay " + relay + " owns " + lanes + " lanes")
                .atMost(limit)
                .untilAsserted(() -> assertThat(status().lanes())
                        .filteredOn(lane -> lane.owner().startsWith(relay + "-"))
                        .as("%s", status())
                        .hasSize(lanes));
    }

    /** Lets writers commit this many further events. */
    static void awaitMore(Workload writers, int events) {
        long goal = writers.history().count(History.Result.OK) + events;
        await("writers commit " + events + " events")
                .atMost(Duration.ofSeconds(60))
                .until(() -> writers.history().count(History.Result.OK) >= goal);
    }

    void awaitPublished(long events) {
        await(events + " events are published").atMost(Duration.ofSeconds(60)).until(() -> number(PUBLISHED) >= events);
    }

    void awaitMorePublished(long events) {
        long before = await("the database answers")
                .atMost(Duration.ofSeconds(60))
                .ignoreExceptions() // it may be back for a moment only, or still be busy with those who leave
                .until(() -> number(PUBLISHED), published -> true);
        await(events + " further events are published")
                .atMost(Duration.ofSeconds(60))
                .ignoreExceptions()
                .until(() -> number(PUBLISHED) >= before + events);
    }

    void awaitDrained() {
        await("the backlog of " + name + " drains")
                .atMost(Duration.ofMinutes(2))
                .ignoreExceptions() // pools may still heal
                .until(() -> status().pending() == 0);
    }

    long number(String sql) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** The first column of all rows. */
    List<String> texts(String sql) {
        List<String> texts = new ArrayList<>();
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                texts.add(rows.getString(1));
            }
            return texts;
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** Through a connection of its own: those of the pool may have been killed a moment ago. */
    void execute(String sql) {
        try (Connection connection = DriverManager.getConnection(servers.jdbcUrl());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** The database was failed over: what this former one holds was committed, whether or not its successor has it. */
    void formerly(String jdbcUrl) {
        formerlyCommitted.addAll(Ledger.committed(jdbcUrl));
    }

    /** Dumps the topic, prints the numbers and judges nothing: for tests that expect violations. */
    HistoryVerdict judge(History history, int kills) {
        HistoryVerdict verdict = Checker.check(
                history.attempts(),
                Ledger.committed(servers.jdbcUrl()),
                formerlyCommitted,
                servers.read(topic),
                givenUp());
        Report.line(name, verdict.numbers() + " kills=" + kills, Duration.ofNanos(System.nanoTime() - began));
        return verdict;
    }

    /** The run is over and drained: I1 to I4 must hold. */
    HistoryVerdict conclude(History history, int kills) {
        HistoryVerdict verdict = judge(history, kills);
        if (!verdict.violations().isEmpty()) {
            Path file = Path.of("target", "histories", name.replaceAll("\\W+", "-") + ".txt");
            try {
                history.write(file);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            assertThat(verdict.violations())
                    .as("%s; every attempt is in %s", name, file)
                    .isEmpty();
        }
        return verdict;
    }

    /** Those that a person has dropped included. */
    private Set<UUID> givenUp() {
        return ids("state IN ('DEAD_LETTER', 'DISCARDED')");
    }

    private Set<UUID> ids(String condition) {
        return texts("SELECT id FROM outbox_states WHERE " + condition).stream()
                .map(UUID::fromString)
                .collect(Collectors.toSet());
    }

    /** Events that the broker has and the outbox does not know to be published. */
    int inFlight() {
        Set<UUID> published = ids("state = 'PUBLISHED'");
        return (int) servers.read(topic).stream()
                .map(Delivered::id)
                .filter(id -> !published.contains(id))
                .distinct()
                .count();
    }

    @Override
    public void close() {
        for (AutoCloseable resource : List.copyOf(resources)) {
            try {
                resource.close();
            } catch (Exception e) {
                throw new IllegalStateException("Cannot close " + resource, e);
            }
        }
    }
}
