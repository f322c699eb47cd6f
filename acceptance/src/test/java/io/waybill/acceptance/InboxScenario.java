package io.waybill.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.Event;
import io.waybill.chaos.process.ChildProcess;
import io.waybill.chaos.process.Effects;
import io.waybill.chaos.process.Outboxes;
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

/** One run of consumers: a database and a topic of their own, and a ledger without a unique key, which shows double effects. */
final class InboxScenario implements AutoCloseable {
    static final String TYPE = "account.changed";
    static final RetryPolicy QUICK = new RetryPolicy(3, Duration.ofMillis(50), Duration.ofMillis(100));

    private final Servers servers;
    private final Feed feed;
    private final String topic = "inbox-" + UUID.randomUUID();
    private final HikariDataSource pool;
    private final JdbcInbox inbox;
    private final Deque<AutoCloseable> resources = new ArrayDeque<>();

    InboxScenario() {
        this(Servers.shared());
    }

    InboxScenario(Servers servers) {
        this(servers, new Feed.Kafka());
    }

    InboxScenario(Feed feed) {
        this(Servers.shared(), feed);
    }

    InboxScenario(Servers servers, Feed feed) {
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

    Servers servers() {
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

    /** A consumer of the topic on Kafka; closed with the scenario. */
    KafkaInbox consumer(Inbox<?> group, Duration handOverLimit) {
        KafkaInbox consumer = KafkaInbox.builder(servers.broker(), group)
                .topics(topic)
                .handOverLimit(handOverLimit)
                .setting("metadata.max.age.ms", 1_000)
                .build();
        resources.push(consumer);
        return consumer;
    }

    /** A consumer of the topic on whichever broker; closed with the scenario. */
    AutoCloseable start(Inbox<?> group) {
        return start(group, feed.port());
    }

    /** @param port where the broker is found, directly or through a proxy */
    AutoCloseable start(Inbox<?> group, int port) {
        AutoCloseable consumer = feed.start(group, topic, Duration.ofSeconds(20), port);
        resources.push(consumer);
        return consumer;
    }

    /** Lets the broker know these groups, where it keeps nothing for those that it does not know. */
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

    /** Sends events straight to the broker and waits for its acknowledgements, within a key one by one. */
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

    /** Into the outbox, in one transaction. */
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
                .atMost(Duration.ofSeconds(60))
                .ignoreExceptionsMatching(e -> true) // the database may only just be coming back
                .until(() -> applied(group) >= count);
    }

    /** The numbers that the group has applied, for each key, in the order in which it did. */
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
