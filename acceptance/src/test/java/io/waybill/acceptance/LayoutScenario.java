package io.waybill.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.chaos.process.ChildProcess;
import io.waybill.chaos.process.Outboxes;
import io.waybill.chaos.process.RelayProgram;
import io.waybill.envelope.Envelope;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.JdbcQueue;
import io.waybill.jdbc.layout.Layout;
import io.waybill.jdbc.layout.LayoutSchema;
import io.waybill.kafka.KafkaTransport;
import io.waybill.relay.Relay;
import io.waybill.relay.RelayBuilder;
import io.waybill.testkit.crash.Crash;
import io.waybill.testkit.history.Checker;
import io.waybill.testkit.history.Delivered;
import io.waybill.testkit.history.History;
import io.waybill.testkit.history.HistoryVerdict;
import io.waybill.testkit.history.Ledger;
import io.waybill.testkit.history.TopicDump;
import io.waybill.testkit.history.Workload;
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

/** One run over a table that is not Waybill's own: its writers, relays that serve it, and the judgement. */
final class LayoutScenario implements AutoCloseable {
    private static final int KEYS = 30;
    private static final Pattern FIELD = Pattern.compile("\"(key|nc_id|n|text|hash)\": ?(\"[^\"]*\"|\\d+)");

    private final String name;
    private final SeedTable seed;
    private final Layout layout;
    private final Servers servers;
    private final String type = "topic-" + UUID.randomUUID();
    private final HikariDataSource pool;
    private final JdbcQueue outbox;
    private final Deque<AutoCloseable> resources = new ArrayDeque<>();
    private final long began = System.nanoTime();

    LayoutScenario(String name, SeedTable seed, Servers servers) {
        this(name, seed, Layout.of(seed.layout(), Path.of("")), servers);
    }

    LayoutScenario(String name, SeedTable seed, Layout layout, Servers servers) {
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

    /** Relays look for Waybill's tables in their own schema; writers know nothing of it. */
    private String relayUrl() {
        String url = servers.jdbcUrl();
        return url + (url.contains("?") ? "&" : "?") + "currentSchema=" + layout.schema();
    }

    JdbcQueue outbox() {
        return outbox;
    }

    String topic() {
        return seed == SeedTable.DEBEZIUM ? "outbox.event." + type : type;
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

    /** A relay with one worker in a process of its own, to which something happens. */
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
                .atMost(Duration.ofSeconds(30))
                .until(() -> outbox.view().status().lanes().stream()
                                .filter(lane -> lane.owner().startsWith(relay + "-"))
                                .count()
                        == lanes);
    }

    /** Nothing waits in the table, and nothing in Waybill's own. */
    void awaitDrained(History history) {
        Set<UUID> committed = Ledger.committed(servers.jdbcUrl());
        assertThat(committed).hasSizeGreaterThanOrEqualTo((int) history.count(History.Result.OK) / 2);
        await(name + " drains")
                .atMost(Duration.ofMinutes(2))
                .ignoreExceptions() // pools may still heal
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

    /** I1 to I4 hold, and the table says of every event what the topic says. */
    HistoryVerdict conclude(History history, int kills) {
        HistoryVerdict verdict = judge(history, kills);
        assertThat(verdict.violations()).as(name).isEmpty();
        Set<UUID> published = new HashSet<>(Ledger.committed(servers.jdbcUrl()));
        published.removeAll(ids(seed.dead()));
        assertThat(ids(seed.published()))
                .as("what the table shows as published")
                .isEqualTo(published);
        return verdict;
    }

    /** Judges nothing: for a run in which a violation is expected. */
    HistoryVerdict judge(History history, int kills) {
        HistoryVerdict verdict =
                Checker.check(history.attempts(), Ledger.committed(servers.jdbcUrl()), delivered(), ids(seed.dead()));
        Report.line(name, verdict.numbers() + " kills=" + kills, Duration.ofNanos(System.nanoTime() - began));
        return verdict;
    }

    /** The topic, with payloads as they were written: field by field, where the database prints them in its own way. */
    List<Delivered> delivered() {
        return TopicDump.read(servers.broker(), topic()).stream()
                .map(one -> new Delivered(
                        seed == SeedTable.DEBEZIUM
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
