package io.waybill.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.Event;
import io.waybill.inbox.Handler;
import io.waybill.inbox.PermanentException;
import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.testkit.servers.SharedServers;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** Without a broker, the relay delivers events to the application's own handlers. */
class InProcessTest {
    private ConfigurableApplicationContext application;
    private JdbcTemplate jdbc;

    @BeforeEach
    void start() {
        application = Apps.run(
                App.class,
                SharedServers.freshDatabase(),
                Apps.WITHOUT_JPA,
                "waybill.schema=apply",
                "waybill.inbox.retry.first-delay=10ms");
        jdbc = application.getBean(JdbcTemplate.class);
        jdbc.execute("CREATE TABLE seen (what varchar(40))");
    }

    @AfterEach
    void stop() {
        application.close();
    }

    @Test
    void eachHandlerRunsOnceAndItsEventsNameTheirCause() {
        Event placed = append("order.placed", "{\"total\":42}");
        append("order.shipped", "{}");

        await().atMost(Duration.ofMinutes(4)).until(() -> seen().size() == 3);
        assertThat(seen()).containsExactlyInAnyOrder("placed 42", "shipped", "stocked");
        assertThat(jdbc.queryForList("""
                        SELECT headers->>'causation-id' FROM outbox_events WHERE event_type = 'order.stocked'""", String.class))
                .containsExactly(placed.id().toString());
        assertThat(jdbc.queryForObject(
                        "SELECT count(*) FROM processed_events WHERE consumer_group = 'shop'", Integer.class))
                .isEqualTo(3);
    }

    @Test
    void anEventWithoutAHandlerStaysPendingAndBlocksOnlyItsKey() {
        append(Event.of("order.unheard", "Order", "other", "{}"));
        append(Event.of("order.shipped", "Order", "other", "{}"));
        append("order.shipped", "{}");

        await().atMost(Duration.ofMinutes(4)).until(() -> seen().size() == 1);
        await().atMost(Duration.ofMinutes(4))
                .untilAsserted(() -> assertThat(jdbc.queryForMap("""
                        SELECT s.state, s.retry_count, s.last_error FROM outbox_states s JOIN outbox_events e ON e.id = s.id
                        WHERE e.event_type = 'order.unheard'"""))
                        .containsEntry("retry_count", 0)
                        .hasEntrySatisfying("state", state -> assertThat(state).isNotEqualTo("PUBLISHED"))
                        .hasEntrySatisfying(
                                "last_error",
                                error -> assertThat((String) error)
                                        .contains(
                                                "There is no handler for event",
                                                "waybill.inbox.on-unknown-type=skip")));
        assertThat(seen()).containsExactly("shipped");
    }

    @Test
    void aFailedHandlerRollsBackAndIsRetried() {
        append("order.difficult", "{}");

        await().atMost(Duration.ofMinutes(4)).until(() -> seen().size() == 1);
        assertThat(seen()).containsExactly("difficult 3");
    }

    @Test
    void anUnreadablePayloadIsADeadLetterAtOnce() {
        append("order.placed", "{\"total\":\"much\"}");
        append("order.hopeless", "{}");

        JdbcInbox inbox = application.getBean(JdbcInbox.class);
        await().atMost(Duration.ofMinutes(4))
                .until(() -> inbox.view().status("shop").deadLetters() == 2);
        assertThat(seen()).isEmpty();
        assertThat(jdbc.queryForList("SELECT error FROM inbox_dead_letters ORDER BY error", String.class))
                .satisfiesExactly(
                        first -> assertThat(first).contains("cannot be read as", "OrderPlaced", "replay the event"),
                        second -> assertThat(second).isEqualTo("never"));
    }

    @Test
    void closingWaitsForARunningHandlerAndReleasesTheLanes() throws InterruptedException {
        append("order.slow", "{}");
        Slow handler = application.getBean(Slow.class);
        assertThat(handler.began.await(30, TimeUnit.SECONDS)).isTrue();
        String database = application.getEnvironment().getRequiredProperty("spring.datasource.url");
        Thread closing = new Thread(application::close);
        closing.start();
        await().atMost(Duration.ofMinutes(4)).until(application::isClosed);
        assertThat(seen()).isEmpty();
        handler.mayEnd.countDown();
        closing.join(60_000);
        assertThat(closing.isAlive()).isFalse();

        try (ConfigurableApplicationContext next =
                Apps.run(App.class, database, Apps.WITHOUT_JPA, "waybill.relay.enabled=false")) {
            JdbcTemplate after = next.getBean(JdbcTemplate.class);
            assertThat(after.queryForList("SELECT what FROM seen", String.class))
                    .containsExactly("slow");
            assertThat(after.queryForObject("SELECT count(*) FROM outbox_relays", Integer.class))
                    .isZero();
            assertThat(after.queryForObject("SELECT count(*) FROM outbox_lanes WHERE owner IS NOT NULL", Integer.class))
                    .isZero();
            assertThat(after.queryForObject(
                            "SELECT count(*) FROM outbox_states WHERE state <> 'PUBLISHED'", Integer.class))
                    .isZero();
        }
    }

    @Test
    void aContextCanBeStoppedAndStartedAgain() {
        application.stop();
        assertThat(application.getBean(RelayLifecycle.class).isRunning()).isFalse();
        append("order.shipped", "{}");
        application.start();

        await().atMost(Duration.ofMinutes(4)).until(() -> seen().size() == 1);
    }

    private Event append(String type, String payload) {
        return append(Event.of(type, "Order", "7", payload));
    }

    private Event append(Event event) {
        application
                .getBean(TransactionTemplate.class)
                .executeWithoutResult(
                        status -> application.getBean(TransactionalOutbox.class).append(event));
        return event;
    }

    private List<String> seen() {
        return jdbc.queryForList("SELECT what FROM seen", String.class);
    }

    record OrderPlaced(int total) {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Handlers.class, Slow.class})
    static class App {
        /** A plain bean; its type says what its transaction is. */
        @Bean
        @InboxHandler("order.shipped")
        Handler<Connection> shipping() {
            return (connection, event) -> {
                try (var statement = connection.createStatement()) {
                    statement.execute("INSERT INTO seen VALUES ('shipped')");
                }
            };
        }
    }

    static class Handlers {
        private final AtomicInteger attempts = new AtomicInteger();
        private final JdbcTemplate jdbc;
        private final TransactionalOutbox outbox;

        Handlers(JdbcTemplate jdbc, TransactionalOutbox outbox) {
            this.jdbc = jdbc;
            this.outbox = outbox;
        }

        @InboxHandler("order.placed")
        void placed(OrderPlaced placed, Event event) {
            saw("placed " + placed.total());
            outbox.append(Event.of("order.stocked", "Order", event.key(), "{}"));
        }

        @Transactional
        @InboxHandler("order.stocked")
        public void stocked(String payload) {
            saw("stocked");
        }

        @InboxHandler("order.difficult")
        void difficult() {
            int attempt = attempts.incrementAndGet();
            saw("difficult " + attempt);
            if (attempt < 3) {
                throw new IllegalStateException("not yet");
            }
        }

        @InboxHandler("order.hopeless")
        void hopeless(Connection connection, Event event) {
            saw("hopeless");
            throw new PermanentException("never");
        }

        private void saw(String what) {
            jdbc.update("INSERT INTO seen VALUES (?)", what);
        }
    }

    static class Slow {
        final CountDownLatch began = new CountDownLatch(1);
        final CountDownLatch mayEnd = new CountDownLatch(1);
        private final JdbcTemplate jdbc;

        Slow(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @InboxHandler("order.slow")
        void slow() throws InterruptedException {
            began.countDown();
            mayEnd.await();
            jdbc.update("INSERT INTO seen VALUES ('slow')");
        }
    }
}
