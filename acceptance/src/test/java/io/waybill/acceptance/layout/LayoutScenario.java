package io.waybill.acceptance.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.acceptance.Report;
import io.waybill.acceptance.ScenarioServers;
import io.waybill.envelope.Envelope;
import io.waybill.faults.crash.Crash;
import io.waybill.faults.history.Checker;
import io.waybill.faults.history.Delivered;
import io.waybill.faults.history.History;
import io.waybill.faults.history.HistoryVerdict;
import io.waybill.faults.history.Ledger;
import io.waybill.faults.history.TopicDump;
import io.waybill.faults.history.Workload;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.JdbcQueue;
import io.waybill.jdbc.layout.Layout;
import io.waybill.jdbc.layout.LayoutSchema;
import io.waybill.kafka.KafkaTransport;
import io.waybill.processes.ChildProcess;
import io.waybill.processes.Outboxes;
import io.waybill.processes.RelayProgram;
import io.waybill.relay.Relay;
import io.waybill.relay.RelayBuilder;
import io.waybill.transport.Transport;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A run on a table that is not Waybill's own: writers, relays, and the check of the result. */
final class LayoutScenario implements AutoCloseable {
    private static final int KEYS = 30;
    private static final Pattern FIELD = Pattern.compile("\"(key|nc_id|n|text|hash)\": ?(\"[^\"]*\"|\\d+)");

    private final String name;
    private final ForeignTable seed;
    private final Layout layout;
    private final ScenarioServers servers;
    private final String type = "topic-" + UUID.randomUUID();
    private final HikariDataSource pool;
    private final JdbcQueue outbox;
    private final Deque<AutoCloseable> resources = new ArrayDeque<>();
    private final long began = System.nanoTime();

    LayoutScenario(String name, ForeignTable seed, ScenarioServers servers) {
        this(name, seed, Layout.of(seed.layout(), Path.of("")), servers);
    }

    LayoutScenario(String name, ForeignTable seed, Layout layout, ScenarioServers servers) {
        this.name = name + " (" + seed.layout() + ")";
        this.seed = seed;
        this.layout = layout;
        this.servers = servers;
        Ledger.create(servers.jdbcUrl(), KEYS);
        execute(seed.table());
        this.pool = using(Outboxes.pool(relayUrl(), 12));
        LayoutSchema.apply(pool, layout);
        assertThat(LayoutSchema.problems(pool, layout)).isEmpty();
        this.outbox = JdbcQueue.on(pool, layout);
    }

    /** Relays find Waybill's tables in a separate schema, which writers do not use. */
    private String relayUrl() {
        String url = servers.jdbcUrl();
        return url + (url.contains("?") ? "&" : "?") + "currentSchema=" + layout.schema();
    }

    JdbcQueue outbox() {
        return outbox;
    }

    String topic() {
        return seed == ForeignTable.DEBEZIUM ? "outbox.event." + type : type;
    }

    String type() {
        return type;
    }

    Workload.Builder workload() {
        return Workload.on(servers.jdbcUrl(), JdbcOutbox.create(), type)
                .keys(KEYS)
                .append(seed.append(), seed.headers());
    }

    Transport kafka() {
        return using(KafkaTransport.to(servers.broker()));
    }

    RelayBuilder relay(String relay, Duration lease, Transport transport) {
        return Relay.builder(outbox.store(), transport)
                .name(relay)
                .lease(lease)
                .workers(2)
                .batchSize(RelayProgram.BATCH_SIZE)
                .envelope(layout.payloadAlone() ? Envelope.none() : Envelope.standard("waybill"));
    }

    Relay start(RelayBuilder builder) {
        Relay relay = using(builder.build());
        relay.start();
        return relay;
    }

    /** Starts a relay with one worker in a child process that crashes. */
    ChildProcess process(String relay, Duration lease, String crash) {
        return using(RelayProgram.start(
                Engine.QUEUE,
                relayUrl(),
                servers.broker(),
                relay,
                lease,
                List.of("-D" + Crash.PROPERTY + "=" + crash, "-D" + Outboxes.LAYOUT + "=" + seed.layout())));
    }

    private <T extends AutoCloseable> T using(T resource) {
        resources.push(resource);
        return resource;
    }

    void awaitOwner(String relay, int lanes) {
        await(relay + " owns " + lanes + " lanes")
                .atMost(Duration.ofMinutes(4))
                .until(() -> outbox.view().status().lanes().stream()
                                .filter(lane -> lane.owner().startsWith(relay + "-"))
                                .count()
                        == lanes);
    }

    /** Waits until no event is pending in the table or in Waybill's tables. */
    void awaitDrained(History history) {
        Set<UUID> committed = Ledger.committed(servers.jdbcUrl());
        assertThat(committed).hasSizeGreaterThanOrEqualTo((int) history.count(History.Result.OK) / 2);
        await(name + " drains")
                .atMost(Duration.ofMinutes(4))
                .ignoreExceptions() // connection pools may still recover
                .until(() -> {
                    Set<UUID> done = ids(seed.published());
                    done.addAll(ids(seed.dead()));
                    return done.containsAll(committed) && outbox.view().status().pending() == 0;
                });
    }

    void execute(String sql) {
        try (Connection connection = DriverManager.getConnection(servers.jdbcUrl());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    Set<UUID> ids(String sql) {
        Set<UUID> ids = new HashSet<>();
        try (Connection connection = DriverManager.getConnection(servers.jdbcUrl());
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                ids.add(rows.getObject(1, UUID.class));
            }
            return ids;
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** Asserts that no event was lost, published without a commit, altered or published out of order (I1 to I4), and that the table agrees with the topic. */
    HistoryVerdict conclude(History history, int kills) {
        HistoryVerdict verdict = judge(history, kills);
        assertThat(verdict.violations()).as(name).isEmpty();
        Set<UUID> published = new HashSet<>(Ledger.committed(servers.jdbcUrl()));
        published.removeAll(ids(seed.dead()));
        assertThat(ids(seed.published()))
                .as("rows that the table shows as published")
                .isEqualTo(published);
        return verdict;
    }

    /** Returns the result without asserting it, for runs that expect a violation. */
    HistoryVerdict judge(History history, int kills) {
        HistoryVerdict verdict =
                Checker.check(history.attempts(), Ledger.committed(servers.jdbcUrl()), delivered(), ids(seed.dead()));
        Report.line(name, verdict.numbers() + " kills=" + kills, Duration.ofNanos(System.nanoTime() - began));
        return verdict;
    }

    /** Reads the topic. Payloads that the database normalised are compared field by field. */
    List<Delivered> delivered() {
        return TopicDump.read(servers.broker(), topic()).stream()
                .map(one -> new Delivered(
                        seed == ForeignTable.DEBEZIUM
                                ? UUID.fromString(one.headers().getOrDefault("id", ""))
                                : one.id(),
                        one.key(),
                        written(one.payload()),
                        one.headers()))
                .toList();
    }

    private String written(String payload) {
        if (!seed.reprinted()) {
            return payload.replaceFirst("\\{\"nc_id\":", "{\"key\":");
        }
        String text = "{\"key\":#key,\"n\":#n,\"text\":#text,\"hash\":#hash}";
        Matcher field = FIELD.matcher(payload);
        while (field.find()) {
            text = text.replace(
                    "#" + field.group(1) + (field.group(1).equals("hash") ? "}" : ","),
                    field.group(2) + (field.group(1).equals("hash") ? "}" : ","));
        }
        return text;
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
