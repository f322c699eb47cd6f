package io.waybill.acceptance.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.Event;
import io.waybill.acceptance.ScenarioServers;
import io.waybill.envelope.Envelope;
import io.waybill.inbox.Handler;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxBuilder;
import io.waybill.inbox.InboxStatus;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.kafka.KafkaInbox;
import io.waybill.processes.ChildProcess;
import io.waybill.processes.Effects;
import io.waybill.processes.Outboxes;
import io.waybill.retry.RetryPolicy;
import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Transport;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** A run of consumers with its own database and topic. The effects go to a table without a unique key, which shows duplicates. */
final class InboxScenario implements AutoCloseable {
    static final String TYPE = "account.changed";
    static final RetryPolicy QUICK = new RetryPolicy(3, Duration.ofMillis(50), Duration.ofMillis(100));

    private final ScenarioServers servers;
    private final TestBroker feed;
    private final String topic = "inbox-" + UUID.randomUUID();
    private final HikariDataSource pool;
    private final JdbcInbox inbox;
    private final Deque<AutoCloseable> resources = new ArrayDeque<>();

    InboxScenario() {
        this(ScenarioServers.shared());
    }

    InboxScenario(ScenarioServers servers) {
        this(servers, new TestBroker.Kafka());
    }

    InboxScenario(TestBroker feed) {
        this(ScenarioServers.shared(), feed);
    }

    InboxScenario(ScenarioServers servers, TestBroker feed) {
        this.servers = servers;
        this.feed = feed;
        this.pool = Outboxes.pool(servers.jdbcUrl(), 12);
        resources.push(pool);
        OutboxSchema.apply(pool);
        InboxSchema.apply(pool);
        try {
            Effects.create(pool);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        this.inbox = JdbcInbox.on(pool);
    }

    ScenarioServers servers() {
        return servers;
    }

    String topic() {
        return topic;
    }

    HikariDataSource dataSource() {
        return pool;
    }

    JdbcInbox inbox() {
        return inbox;
    }

    InboxStatus status(String group) {
        return inbox.view().status(group);
    }

    InboxBuilder<Connection> inbox(String group, Handler<Connection> handler) {
        return Inbox.builder(inbox.store(), group)
                .on(TYPE, handler)
                .deadLettersTo(JdbcOutbox.create())
                .longestPause(Duration.ofMillis(500))
                .retry(QUICK);
    }

    /** Starts a consumer of the topic on Kafka. It is closed with the scenario. */
    KafkaInbox consumer(Inbox<?> group, Duration handOverLimit) {
        KafkaInbox consumer = KafkaInbox.builder(servers.broker(), group)
                .topics(topic)
                .handOverLimit(handOverLimit)
                .setting("metadata.max.age.ms", 1_000)
                .build();
        resources.push(consumer);
        return consumer;
    }

    /** Starts a consumer of the topic on the given broker. It is closed with the scenario. */
    AutoCloseable start(Inbox<?> group) {
        return start(group, feed.port());
    }

    /** @param port the port of the broker or of a proxy to it */
    AutoCloseable start(Inbox<?> group, int port) {
        AutoCloseable consumer = feed.start(group, topic, Duration.ofSeconds(20), port);
        resources.push(consumer);
        return consumer;
    }

    /** Registers these groups with brokers that store messages only for known groups. */
    void introduce(Collection<String> groups) throws Exception {
        for (String group : groups) {
            feed.introduce(topic, group);
        }
    }

    ChildProcess track(ChildProcess process) {
        resources.push(process);
        return process;
    }

    Event event(String key, long n) {
        return Event.builder(TYPE, "Account", key)
                .topic(topic)
                .aggregateVersion(n)
                .payload(Long.toString(n))
                .build();
    }

    /** Sends events to the broker without an outbox. Within a key it waits for each acknowledgement. */
    void publish(Collection<Event> events) {
        Map<String, CompletableFuture<Boolean>> last = new HashMap<>();
        try (Transport transport = feed.transport(feed.port(), Duration.ofMinutes(1))) {
            for (Event event : events) {
                CompletableFuture<Boolean> sent = new CompletableFuture<>();
                CompletableFuture<Boolean> before = last.put(event.key(), sent);
                if (before != null) {
                    assertThat(before.join()).isTrue();
                }
                transport.send(Envelope.standard("test").seal(event), new Delivery() {
                    @Override
                    public void acknowledged() {
                        sent.complete(true);
                    }

                    @Override
                    public void failed(Failure failure) {
                        sent.completeExceptionally(new AssertionError(failure.reason()));
                    }
                });
            }
            last.values().forEach(CompletableFuture::join);
        }
    }

    /** Appends events to the outbox in one transaction. */
    void append(List<Event> events) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            JdbcOutbox.create().append(connection, events);
            connection.commit();
            connection.setAutoCommit(true);
        }
    }

    long applied(String group) {
        return number("SELECT count(*) FROM applied WHERE grp = '" + group + "'");
    }

    void awaitApplied(String group, long count) {
        await("group " + group + " has applied " + count + " events")
                .atMost(Duration.ofMinutes(4))
                .ignoreExceptionsMatching(e -> true) // the database may still be starting
                .until(() -> applied(group) >= count);
    }

    /** Returns the numbers that the group has applied, by key, in order. */
    Map<String, List<Long>> ledgerOf(String group) {
        Map<String, List<Long>> byKey = new TreeMap<>();
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT key, n FROM applied WHERE grp = '" + group + "' ORDER BY seq")) {
            while (row.next()) {
                byKey.computeIfAbsent(row.getString(1), key -> new ArrayList<>())
                        .add(row.getLong(2));
            }
            return byKey;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    long number(String sql) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    void execute(String sql) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    @Override
    public void close() {
        while (!resources.isEmpty()) {
            try {
                resources.pop().close();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }
}
