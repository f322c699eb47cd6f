package io.waybill.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.admin.DeadLetters;
import io.waybill.admin.OutboxStatus;
import io.waybill.admin.OutboxView;
import io.waybill.faults.crash.Crash;
import io.waybill.faults.history.Checker;
import io.waybill.faults.history.Delivered;
import io.waybill.faults.history.History;
import io.waybill.faults.history.HistoryVerdict;
import io.waybill.faults.history.Ledger;
import io.waybill.faults.history.Workload;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.JdbcEngine;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.processes.ChildProcess;
import io.waybill.processes.FatalTransport;
import io.waybill.processes.Outboxes;
import io.waybill.processes.RelayProgram;
import io.waybill.processes.Transports;
import io.waybill.relay.Relay;
import io.waybill.relay.RelayBuilder;
import io.waybill.store.OutboxStore;
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
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** A run with its own database and topic: writers, relays in this process and in child processes, and the check of the result. */
public final class Scenario implements AutoCloseable {
    public static final int LANES = 8;
    private static final int KEYS = 30;
    private static final String PUBLISHED = "SELECT count(*) FROM outbox_states WHERE state = 'PUBLISHED'";

    private final String name;
    private final Engine engine;
    private final ScenarioServers servers;
    private final String topic = "topic-" + UUID.randomUUID();
    private final HikariDataSource pool;
    private final OutboxStore store;
    private final OutboxView view;
    private final Deque<AutoCloseable> resources = new ArrayDeque<>();
    private final Set<UUID> formerlyCommitted = new HashSet<>();
    private final long began = System.nanoTime();

    public Scenario(String name) {
        this(name, Engine.QUEUE);
    }

    public Scenario(String name, Engine engine) {
        this(name, engine, ScenarioServers.shared());
    }

    public Scenario(String name, Engine engine, ScenarioServers servers) {
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

    /** Creates the store of this outbox on other connections. */
    public OutboxStore store(DataSource dataSource) {
        return Outboxes.store(engine, dataSource);
    }

    public String jdbcUrl() {
        return servers.jdbcUrl();
    }

    public String topic() {
        return topic;
    }

    public String broker() {
        return servers.broker();
    }

    public List<Delivered> read() {
        return servers.read(topic);
    }

    public DataSource dataSource() {
        return pool;
    }

    public OutboxStore store() {
        return store;
    }

    public OutboxView view() {
        return view;
    }

    public DeadLetters deadLetters() {
        return JdbcEngine.on(pool, engine).deadLetters();
    }

    public OutboxStatus status() {
        return view().status();
    }

    /** Writers with 30 keys, whose events go to the topic of this scenario. */
    public Workload.Builder workload() {
        return Workload.on(servers.jdbcUrl(), JdbcOutbox.create(), topic).keys(KEYS);
    }

    public Transport transport() {
        return transport(Duration.ofSeconds(15));
    }

    /** Closes the resource with the scenario. */
    public Transport transport(Duration sendTimeout) {
        return using(Transports.to(servers.broker(), sendTimeout));
    }

    public RelayBuilder relay(String relay, Duration lease) {
        return relay(relay, lease, store(), transport());
    }

    public static RelayBuilder relay(String relay, Duration lease, OutboxStore store, Transport transport) {
        return Relay.builder(store, transport).name(relay).lease(lease).workers(2);
    }

    /** Starts a relay in this process. It is closed with the scenario. */
    public Relay start(RelayBuilder builder) {
        Relay relay = using(builder.build());
        relay.start();
        return relay;
    }

    /**
     * Starts a relay with one worker in a child process. It is killed with the scenario.
     *
     * @param crash what shall happen to it, as {@link Crash} spells it; empty for nothing
     */
    public ChildProcess process(String relay, Duration lease, String crash) {
        List<String> options = crash.isEmpty() ? List.of() : List.of("-D" + Crash.PROPERTY + "=" + crash);
        return using(RelayProgram.start(engine, servers.jdbcUrl(), servers.broker(), relay, lease, options));
    }

    /** Starts a relay in a child process that crashes when it sends this message. */
    public ChildProcess process(String relay, Duration lease, UUID fatal) {
        List<String> options = List.of("-D" + FatalTransport.PROPERTY + "=" + fatal);
        return using(RelayProgram.start(engine, servers.jdbcUrl(), servers.broker(), relay, lease, options));
    }

    /** Starts a relay with little memory in a child process. Its broker acknowledges every message at once. */
    public ChildProcess smallProcess(String relay, Duration lease) {
        return using(
                RelayProgram.start(engine, servers.jdbcUrl(), RelayProgram.NOWHERE, relay, lease, List.of("-Xmx48m")));
    }

    public <T extends AutoCloseable> T using(T resource) {
        resources.push(resource);
        return resource;
    }

    /** The name has a random suffix, so only its prefix is compared. */
    public void awaitOwner(String relay, int lanes, Duration limit) {
        await("relay " + relay + " owns " + lanes + " lanes")
                .atMost(limit)
                .untilAsserted(() -> assertThat(status().lanes())
                        .filteredOn(lane -> lane.owner().startsWith(relay + "-"))
                        .as("%s", status())
                        .hasSize(lanes));
    }

    /** Returns the largest number of events that a killed or frozen relay can have had in flight when it lost its lanes. */
    public static int mostInFlight(ChildProcess relay) {
        return RelayProgram.BATCH_SIZE + inFlightOfLostLeases(relay);
    }

    /**
     * Returns the largest number of events that a relay can have had in flight when it lost leases while it ran: a busy machine delays its heartbeats.
     * A batch covers several lanes, so the lane that the relay lost most often counts.
     */
    public static int inFlightOfLostLeases(ChildProcess relay) {
        Map<String, Long> lossesByLane = relay.output().stream()
                .filter(line -> line.startsWith("lease lost: ") || line.startsWith("fence rejected: "))
                .map(line -> line.substring(line.indexOf(": ")))
                .distinct()
                .collect(Collectors.groupingBy(lease -> lease.split(" \\(", 2)[0], Collectors.counting()));
        long most =
                lossesByLane.values().stream().mapToLong(Long::longValue).max().orElse(0);
        return (int) most * RelayProgram.BATCH_SIZE;
    }

    /** Waits until writers have committed this many more events. */
    public static void awaitMore(Workload writers, int events) {
        long goal = writers.history().count(History.Result.OK) + events;
        await("writers commit " + events + " events")
                .atMost(Duration.ofMinutes(4))
                .until(() -> writers.history().count(History.Result.OK) >= goal);
    }

    public void awaitPublished(long events) {
        await(events + " events are published").atMost(Duration.ofMinutes(4)).until(() -> number(PUBLISHED) >= events);
    }

    public void awaitMorePublished(long events) {
        long before = await("the database answers")
                .atMost(Duration.ofMinutes(4))
                .ignoreExceptions() // the database may be starting or closing old sessions
                .until(() -> number(PUBLISHED), published -> true);
        await(events + " further events are published")
                .atMost(Duration.ofMinutes(4))
                .ignoreExceptions()
                .until(() -> number(PUBLISHED) >= before + events);
    }

    public void awaitDrained() {
        await("the backlog of " + name + " drains")
                .atMost(Duration.ofMinutes(4))
                .ignoreExceptions() // connection pools may still recover
                .until(() -> status().pending() == 0);
    }

    public long number(String sql) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** Returns the first column of all rows. */
    public List<String> texts(String sql) {
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

    /** Uses a new connection, because those of the pool may be broken. */
    public void execute(String sql) {
        try (Connection connection = DriverManager.getConnection(servers.jdbcUrl());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** Records the events that the former primary had committed before a failover. */
    public void formerly(String jdbcUrl) {
        formerlyCommitted.addAll(Ledger.committed(jdbcUrl));
    }

    /** Reads the topic and returns the result without asserting it, for tests that expect violations. */
    public HistoryVerdict judge(History history, int kills) {
        HistoryVerdict verdict = Checker.check(
                history.attempts(),
                Ledger.committed(servers.jdbcUrl()),
                formerlyCommitted,
                servers.read(topic),
                givenUp());
        Report.line(name, verdict.numbers() + " kills=" + kills, Duration.ofNanos(System.nanoTime() - began));
        return verdict;
    }

    /** Asserts that no event was lost, published without a commit, altered or published out of order (I1 to I4). All events must be published before. */
    public HistoryVerdict conclude(History history, int kills) {
        HistoryVerdict verdict = judge(history, kills);
        if (!verdict.violations().isEmpty()) {
            Path file = Path.of("target", "histories", name.replaceAll("\\W+", "-") + ".txt");
            try {
                history.write(file);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            assertThat(verdict.violations())
                    .as("%s; all attempts are in %s", name, file)
                    .isEmpty();
        }
        return verdict;
    }

    /** Includes discarded ones. */
    private Set<UUID> givenUp() {
        return ids("state IN ('DEAD_LETTER', 'DISCARDED')");
    }

    private Set<UUID> ids(String condition) {
        return texts("SELECT id FROM outbox_states WHERE " + condition).stream()
                .map(UUID::fromString)
                .collect(Collectors.toSet());
    }

    /** Returns the number of events that the broker has but that are not marked as published. */
    public int inFlight() {
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
