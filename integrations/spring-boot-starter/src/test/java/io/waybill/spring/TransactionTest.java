package io.waybill.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.testkit.servers.SharedServers;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** The event and the change that it tells of: together, or not at all, however Spring's transaction began. */
class TransactionTest {
    private static ConfigurableApplicationContext application;
    private static Orders orders;
    private static JdbcTemplate jdbc;

    @BeforeAll
    static void start() {
        application = new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=" + SharedServers.freshDatabase(),
                        "spring.jpa.hibernate.ddl-auto=none",
                        "spring.flyway.enabled=false",
                        "waybill.schema=apply",
                        "waybill.relay.enabled=false")
                .run();
        orders = application.getBean(Orders.class);
        jdbc = application.getBean(JdbcTemplate.class);
        jdbc.execute("CREATE TABLE orders (id varchar(20) PRIMARY KEY)");
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @BeforeEach
    void empty() {
        jdbc.execute("DELETE FROM orders");
        jdbc.execute("DELETE FROM outbox_events");
    }

    @Test
    void aCommittedChangeHasItsEvent() {
        orders.place("1");

        assertThat(ids("orders", "id")).containsExactly("1");
        assertThat(ids("outbox_events", "aggregate_id")).containsExactly("1");
    }

    @Test
    void aRolledBackChangeHasNone() {
        assertThatThrownBy(() -> orders.placeAndFail("1")).hasMessage("no");

        assertThat(ids("orders", "id")).isEmpty();
        assertThat(ids("outbox_events", "aggregate_id")).isEmpty();
    }

    @Test
    void withoutATransactionItSaysSo() {
        assertThatThrownBy(() -> orders.placeWithoutTransaction("1"))
                .isInstanceOf(WaybillException.class)
                .hasMessageContaining("Cannot append event order.placed/1: no transaction is active.")
                .hasMessageContaining("@Transactional");
    }

    @Test
    void aTemplateIsATransactionToo() {
        TransactionTemplate template = application.getBean(TransactionTemplate.class);
        template.executeWithoutResult(status -> orders.placeWithoutTransaction("1"));
        template.executeWithoutResult(status -> {
            orders.placeWithoutTransaction("2");
            status.setRollbackOnly();
        });

        assertThat(ids("outbox_events", "aggregate_id")).containsExactly("1");
    }

    private static List<String> ids(String table, String column) {
        return jdbc.queryForList("SELECT " + column + " FROM " + table + " ORDER BY 1", String.class);
    }

    @EnableAutoConfiguration
    @Import(Orders.class)
    static class App {}

    static class Orders {
        private final JdbcTemplate jdbc;
        private final TransactionalOutbox outbox;

        Orders(JdbcTemplate jdbc, TransactionalOutbox outbox) {
            this.jdbc = jdbc;
            this.outbox = outbox;
        }

        @Transactional
        public void place(String id) {
            placeWithoutTransaction(id);
        }

        @Transactional
        public void placeAndFail(String id) {
            placeWithoutTransaction(id);
            throw new IllegalStateException("no");
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void placeOnItsOwn(String id) {
            placeWithoutTransaction(id);
        }

        public void placeWithoutTransaction(String id) {
            jdbc.update("INSERT INTO orders VALUES (?)", id);
            outbox.append(Event.of("order.placed", "Order", id, "{}"));
        }
    }
}
