package io.waybill.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.testkit.servers.SharedServers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A change and its event commit together, or not at all, in every kind of Spring transaction. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class TransactionContract {
    ConfigurableApplicationContext application;
    Orders orders;
    JdbcTemplate jdbc;

    abstract List<String> properties();

    Class<?> configuration() {
        return App.class;
    }

    @BeforeAll
    void start() {
        List<String> all = new ArrayList<>(properties());
        all.addAll(List.of("waybill.schema=apply", "waybill.relay.enabled=false"));
        String database = SharedServers.freshDatabase();
        application = Apps.run(configuration(), database, all.toArray(String[]::new));
        orders = application.getBean(Orders.class);
        jdbc = new JdbcTemplate(new DriverManagerDataSource(database)); // sees what is committed, and nothing else
        jdbc.execute("CREATE TABLE orders (id varchar(20) PRIMARY KEY)");
    }

    @AfterAll
    void stop() {
        application.close();
    }

    @BeforeEach
    void empty() {
        jdbc.execute("DELETE FROM orders");
        jdbc.execute("DELETE FROM outbox_events");
    }

    @Test
    void aCommittedChangeHasAnEvent() {
        orders.place("1");

        assertThat(changes()).containsExactly("1");
        assertThat(events()).containsExactly("1");
    }

    @Test
    void aRolledBackChangeHasNoEvent() {
        assertThatThrownBy(() -> orders.placeAndFail("1")).hasMessage("no");

        assertThat(changes()).isEmpty();
        assertThat(events()).isEmpty();
    }

    @Test
    void anEventJoinsTheTransactionOfATemplate() {
        TransactionTemplate template = application.getBean(TransactionTemplate.class);
        template.executeWithoutResult(status -> orders.join("1"));
        template.executeWithoutResult(status -> {
            orders.join("2");
            status.setRollbackOnly();
        });

        assertThat(changes()).containsExactly("1");
        assertThat(events()).containsExactly("1");
    }

    @Test
    void anEventInANewTransactionSurvivesTheRollbackOfTheOuterOne() {
        assertThatThrownBy(() -> application.getBean(Outer.class).fallAfterInner("outer", "inner"))
                .hasMessage("no");

        assertThat(changes()).containsExactly("inner");
        assertThat(events()).containsExactly("inner");
    }

    @Test
    void aSwallowedFailureStillRollsBackTheTransaction() {
        assertThatThrownBy(() -> application.getBean(Outer.class).swallow("1")).hasMessageContaining("rollback-only");

        assertThat(changes()).isEmpty();
        assertThat(events()).isEmpty();
    }

    @Test
    void anAppendWithoutATransactionNamesTheRemedy() {
        assertThatThrownBy(() -> orders.append("1"))
                .isInstanceOf(WaybillException.class)
                .hasMessageContaining("Cannot append event order.placed/1: no transaction is active.")
                .hasMessageContaining("from a @Transactional method, which must be called from another bean");
        assertThat(events()).isEmpty();
    }

    @Test
    void aReadOnlyTransactionIsRefused() {
        assertThatThrownBy(() -> orders.appendReadOnly("1")).hasMessageContaining("is read-only. Remove readOnly");
    }

    @Test
    void anotherDatabasesTransactionIsRefused() {
        JdbcTransactionManager other = new JdbcTransactionManager(
                new DriverManagerDataSource(SharedServers.postgres().jdbcUrl()));
        assertThatThrownBy(() -> new TransactionTemplate(other).executeWithoutResult(status -> orders.append("1")))
                .hasMessageContaining("does not belong to the DataSource of the outbox")
                .hasMessageContaining("@Primary");
        assertThat(events()).isEmpty();
    }

    /** The query binds a connection of our DataSource to the other transaction, which neither commits nor rolls it back. */
    @Test
    void anotherDatabasesTransactionIsRefusedEvenWhenItHasReadFromOurs() {
        JdbcTransactionManager other = new JdbcTransactionManager(
                new DriverManagerDataSource(SharedServers.postgres().jdbcUrl()));
        JdbcTemplate ours = application.getBean(JdbcTemplate.class);
        assertThatThrownBy(() -> new TransactionTemplate(other).executeWithoutResult(status -> {
                    ours.queryForList("SELECT id FROM orders");
                    orders.append("1");
                }))
                .hasMessageContaining("does not belong to the DataSource of the outbox");
        assertThat(events()).isEmpty();
    }

    /** The phase of a {@code @TransactionalEventListener} without further settings. */
    @Test
    void anAppendAfterTheCommitIsRefused() {
        AtomicReference<Throwable> refusal = new AtomicReference<>();
        transaction().executeWithoutResult(status -> {
            orders.join("1");
            orders.tellAfter(
                    TransactionPhase.AFTER_COMMIT, () -> refusal.set(catchThrowable(() -> orders.append("2"))));
        });

        assertThat(refusal.get())
                .hasMessageContaining("Cannot append event order.placed/2: the transaction has already committed")
                .hasMessageContaining("BEFORE_COMMIT")
                .hasMessageContaining("REQUIRES_NEW");
        assertThat(events()).containsExactly("1");
    }

    @Test
    void anAppendAfterTheCompletionIsRefused() {
        for (TransactionPhase phase : List.of(TransactionPhase.AFTER_COMPLETION, TransactionPhase.AFTER_ROLLBACK)) {
            AtomicReference<Throwable> refusal = new AtomicReference<>();
            transaction().executeWithoutResult(status -> {
                orders.tellAfter(phase, () -> refusal.set(catchThrowable(() -> orders.append("2"))));
                if (phase == TransactionPhase.AFTER_ROLLBACK) {
                    status.setRollbackOnly();
                }
            });

            assertThat(refusal.get()).hasMessageContaining("has already").hasMessageContaining("REQUIRES_NEW");
            assertThat(events()).isEmpty();
        }
    }

    @Test
    void anAppendInTheAfterCommitCallbackItselfIsRefused() {
        AtomicReference<Throwable> refusal = new AtomicReference<>();
        transaction()
                .executeWithoutResult(status ->
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void afterCommit() {
                                refusal.set(catchThrowable(() -> orders.append("2")));
                            }
                        }));

        assertThat(refusal.get()).hasMessageContaining("has already committed");
        assertThat(events()).isEmpty();
    }

    @Test
    void anAppendBeforeTheCommitOrInANewTransactionAfterItIsPublished() {
        transaction().executeWithoutResult(status -> {
            orders.tellAfter(TransactionPhase.BEFORE_COMMIT, () -> orders.append("1"));
            orders.tellAfter(TransactionPhase.AFTER_COMMIT, () -> orders.placeOnItsOwn("2"));
        });

        assertThat(events()).containsExactly("1", "2");
    }

    private TransactionTemplate transaction() {
        return application.getBean(TransactionTemplate.class);
    }

    @Test
    void anAnnotatedApplicationEventGoesToTheOutbox() {
        orders.publish("1");

        assertThat(jdbc.queryForMap("""
                        SELECT event_type, aggregate_type, aggregate_id, aggregate_version, event_version, topic, payload::text
                        FROM outbox_events"""))
                .isEqualTo(Map.of(
                        "event_type", "order.paid",
                        "aggregate_type", "Order",
                        "aggregate_id", "1",
                        "aggregate_version", 3L,
                        "event_version", 2,
                        "topic", "payments",
                        "payload", "{\"orderId\":\"1\",\"revision\":3}"));
    }

    /** Its source is a bean and not part of the payload. */
    @Test
    void anAnnotatedSubclassOfApplicationEventGoesToTheOutbox() {
        orders.cancel("1");

        assertThat(jdbc.queryForMap("SELECT event_type, aggregate_id, payload::text FROM outbox_events"))
                .isEqualTo(
                        Map.of("event_type", "order.cancelled", "aggregate_id", "1", "payload", "{\"orderId\":\"1\"}"));
    }

    @Test
    void anAnnotatedApplicationEventNeedsATransaction() {
        assertThatThrownBy(() -> orders.publishOutside("1")).hasMessageContaining("no transaction is active");
    }

    @Test
    void theApplicationsHeadersAreAddedUnlessTheEventHasItsOwn() {
        TransactionTemplate template = application.getBean(TransactionTemplate.class);
        TransactionalOutbox outbox = application.getBean(TransactionalOutbox.class);
        template.executeWithoutResult(status -> outbox.append(List.of(
                Event.of("order.placed", "Order", "1", "{}"),
                Event.builder("order.placed", "Order", "2")
                        .header("user-id", "bob")
                        .build())));

        assertThat(jdbc.queryForList("SELECT headers->>'user-id' FROM outbox_events ORDER BY seq", String.class))
                .containsExactly("ann", "bob");
    }

    List<String> changes() {
        return jdbc.queryForList("SELECT id FROM orders ORDER BY 1", String.class);
    }

    List<String> events() {
        return jdbc.queryForList("SELECT aggregate_id FROM outbox_events ORDER BY 1", String.class);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Orders.class, Outer.class, Phases.class})
    static class App {
        @Bean
        EventHeaders user() {
            return () -> Map.of("user-id", "ann");
        }
    }
}
