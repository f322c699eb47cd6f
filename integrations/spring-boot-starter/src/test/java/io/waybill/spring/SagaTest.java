package io.waybill.spring;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.saga.Command;
import io.waybill.saga.Saga;
import io.waybill.saga.SagaListener;
import io.waybill.saga.SagaResult;
import io.waybill.saga.SagaStatus;
import io.waybill.saga.Sagas;
import io.waybill.saga.participant.Answer;
import io.waybill.saga.participant.SagaParticipant;
import io.waybill.testkit.servers.SharedServers;
import jakarta.persistence.EntityManager;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** Sagas in an application with JPA and JDBC, whose participant is in the same application. */
class SagaTest {
    private static ConfigurableApplicationContext application;
    private static JdbcTemplate jdbc;
    private static Shop shop;

    @BeforeAll
    static void start() {
        application = Apps.run(
                App.class,
                SharedServers.freshDatabase(),
                "spring.jpa.hibernate.ddl-auto=none",
                "waybill.schema=apply",
                "waybill.inbox.retry.first-delay=10ms");
        jdbc = application.getBean(JdbcTemplate.class);
        jdbc.execute("CREATE TABLE orders (id varchar(20) PRIMARY KEY)");
        jdbc.execute("CREATE TABLE seen (what varchar(60))");
        shop = application.getBean(Shop.class);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @Test
    void aSagaOfACommittedTransactionRunsToItsEnd() {
        shop.place("lamp");

        SagaResult<Order> result = ended("lamp");
        assertThat(result.status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(result.data()).isEqualTo(new Order("lamp", "A7"));
        assertThat(orders("lamp")).hasSize(1);
        assertThat(jdbc.queryForList("SELECT what FROM seen WHERE what LIKE '% lamp'", String.class))
                .as("local step, participant, and a handler of the application beside the saga")
                .containsExactly("placed lamp", "counted lamp", "reserved lamp", "heard lamp");
        await().atMost(Duration.ofMinutes(4))
                .until(() -> application.getBean(Watch.class).ended.contains("lamp COMPLETED"));
    }

    @Test
    void aSagaOfARolledBackTransactionNeverExisted() {
        assertThatThrownBy(() -> shop.placeAndFail("unicorn")).hasMessage("no");

        assertThat(result("unicorn")).isEmpty();
        assertThat(jdbc.queryForList("SELECT * FROM outbox_events WHERE aggregate_id = 'unicorn'"))
                .isEmpty();
    }

    @Test
    void aRefusalUndoesTheLocalSteps() {
        shop.place("nothing");

        assertThat(ended("nothing").status()).isEqualTo(SagaStatus.ROLLED_BACK);
        assertThat(orders("nothing")).isEmpty();
    }

    /** Without a flush after the step, the engine would see only a failed commit, and would retry it without end. */
    @Test
    void aChangeThatJpaCannotWriteFailsItsStep() {
        jdbc.update("INSERT INTO orders VALUES ('twice')");
        shop.place("twice");

        SagaResult<Order> result = ended("twice");
        assertThat(result.status()).isEqualTo(SagaStatus.ROLLED_BACK);
        assertThat(result.error()).contains("duplicate key");
    }

    @Test
    void aStepThatHidesAFailedTransactionFails() {
        shop.place("swallowed");

        SagaResult<Order> result = ended("swallowed");
        assertThat(result.status()).isEqualTo(SagaStatus.ROLLED_BACK);
        assertThat(result.error()).contains("marked its transaction for rollback");
    }

    @Test
    void aStartOutsideOfATransactionIsRefused() {
        TransactionalSagas sagas = application.getBean(TransactionalSagas.class);
        assertThatThrownBy(() -> sagas.start(definition(), "alone", new Order("alone", "")))
                .hasMessageContaining(
                        "Cannot start saga place-order/alone: no transaction is active. Call start inside");
        TransactionTemplate readOnly = new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
        readOnly.setReadOnly(true);
        readOnly.executeWithoutResult(status -> assertThatThrownBy(
                        () -> sagas.start(definition(), "alone", new Order("alone", "")))
                .hasMessageContaining("the active transaction is read-only"));
    }

    @Test
    void aSagaThatAHandlerStartsInheritsTheCorrelation() {
        application
                .getBean(TransactionTemplate.class)
                .executeWithoutResult(status -> application
                        .getBean(TransactionalOutbox.class)
                        .append(Event.builder("order.requested", "Order", "chair")
                                .payload("{}")
                                .header(Headers.CORRELATION_ID, "flow 7")
                                .build()));

        await().atMost(Duration.ofMinutes(4)).until(() -> result("chair").isPresent());
        ended("chair");
        assertThat(jdbc.queryForObject("""
                        SELECT headers->>'correlation-id' FROM outbox_events
                        WHERE event_type = 'stock.reserve' AND aggregate_id = 'chair'""", String.class)).isEqualTo("flow 7");
    }

    @Test
    void theEngineStartsLastAndAStoppedOneStartsAgain() {
        HealthIndicator health = application.getBean("waybillSagasHealthIndicator", HealthIndicator.class);
        Health up = requireNonNull(health.health());
        assertThat(up.getStatus()).isEqualTo(Status.UP);
        assertThat(up.getDetails()).containsEntry("running", true).containsEntry("stuck", 0L);
        int phase = application
                .getBean("waybillSagaLifecycle", SmartLifecycle.class)
                .getPhase();
        assertThat(phase)
                .isGreaterThan(application.getBean(RelayLifecycle.class).getPhase())
                .isGreaterThan(application.getBean(InboxConsumer.class).getPhase());

        application.stop();
        assertThat(requireNonNull(health.health()).getStatus()).isEqualTo(Status.DOWN);
        shop.place("table");
        application.start();

        assertThat(ended("table").status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(requireNonNull(health.health()).getStatus()).isEqualTo(Status.UP);
    }

    private static SagaResult<Order> ended(String key) {
        await().atMost(Duration.ofMinutes(4))
                .until(() -> result(key).orElseThrow().status().isEnd());
        return result(key).orElseThrow();
    }

    private static Optional<SagaResult<Order>> result(String key) {
        Sagas<?> sagas = application.getBean(Sagas.class);
        return sagas.result(definition(), key);
    }

    @SuppressWarnings("unchecked") // the only Saga bean
    private static Saga<Order> definition() {
        return application.getBean(Saga.class);
    }

    private static List<String> orders(String id) {
        return jdbc.queryForList("SELECT id FROM orders WHERE id = ?", String.class, id);
    }

    record Order(String item, String reservation) {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Shop.class, Stock.class, Fragile.class, Watch.class})
    static class App {
        @Bean
        Saga<Order> placeOrder(Shop shop) {
            return Saga.named("place-order", Order.class)
                    .step("invoice")
                    .local(shop::invoice)
                    .attempts(1)
                    .localCompensation(shop::withdraw)
                    .then("count")
                    .local(Connection.class, shop::count)
                    .noCompensation("a note only")
                    .then("reserve")
                    .command(order -> Command.to("stock.reserve", order.item(), order))
                    .onReply("stock.reserved", (order, reply) -> new Order(order.item(), reply.text("reservation")))
                    .onRefusal("stock.missing")
                    .timeout(Duration.ofMinutes(10))
                    .pivot()
                    .build();
        }
    }

    /** Starts sagas, and does their local work. */
    static class Shop {
        private final EntityManager entities;
        private final JdbcTemplate jdbc;
        private final Fragile fragile;
        private final TransactionalSagas sagas;

        Shop(EntityManager entities, JdbcTemplate jdbc, Fragile fragile, TransactionalSagas sagas) {
            this.entities = entities;
            this.jdbc = jdbc;
            this.fragile = fragile;
            this.sagas = sagas;
        }

        @Transactional
        public void place(String item) {
            jdbc.update("INSERT INTO seen VALUES (?)", "placed " + item);
            sagas.start(definition(), item, new Order(item, ""));
        }

        @Transactional
        public void placeAndFail(String item) {
            place(item);
            throw new IllegalStateException("no");
        }

        @InboxHandler("order.requested")
        void requested(Event event) {
            place(event.key());
        }

        /** Succeeds; JPA writes later. */
        Order invoice(Order order) {
            entities.persist(new Invoice(order.item()));
            if (order.item().equals("swallowed")) {
                try {
                    fragile.fail();
                } catch (IllegalStateException ignored) {
                    return order;
                }
            }
            return order;
        }

        Order withdraw(Order order) {
            entities.remove(entities.find(Invoice.class, order.item()));
            return order;
        }

        /** Fails if the connection is not that of the Spring transaction. */
        Order count(Connection connection, Order order) throws Exception {
            try (var statement = connection.prepareStatement("INSERT INTO seen VALUES (?)")) {
                statement.setString(1, "counted " + order.item());
                statement.executeUpdate();
            }
            if (jdbc.queryForList("SELECT what FROM seen WHERE what = 'counted ' || ?", String.class, order.item())
                    .isEmpty()) {
                throw new IllegalStateException("another connection");
            }
            return order;
        }
    }

    static class Fragile {
        @Transactional
        public void fail() {
            throw new IllegalStateException("fragile");
        }
    }

    static class Stock {
        private final JdbcTemplate jdbc;
        private final SagaParticipant<Connection> participant;

        Stock(JdbcTemplate jdbc, SagaParticipant<Connection> participant) {
            this.jdbc = jdbc;
            this.participant = participant;
        }

        @InboxHandler("stock.reserve")
        void reserve(Order order, Event command, Connection connection) throws Exception {
            participant
                    .command((transaction, event) -> {
                        if (order.item().equals("nothing")) {
                            return Answer.refused("stock.missing", command.key(), Map.of());
                        }
                        jdbc.update("INSERT INTO seen VALUES (?)", "reserved " + order.item());
                        return Answer.done("stock.reserved", command.key(), Map.of("reservation", "A7"));
                    })
                    .handle(connection, command);
        }

        /** The saga waits for the same event. */
        @InboxHandler("stock.reserved")
        void reserved(Event event) {
            jdbc.update("INSERT INTO seen VALUES (?)", "heard " + event.key());
        }
    }

    static class Watch implements SagaListener {
        final List<String> ended = new CopyOnWriteArrayList<>();

        @Override
        public void ended(UUID id, String saga, String businessKey, SagaStatus status, Duration took) {
            ended.add(businessKey + " " + status);
        }
    }
}
