package io.waybill.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.Event;
import io.waybill.testkit.servers.SharedServers;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** Without a broker, the relay hands events to the application's own handlers. */
class InProcessTest {
    @Test
    void aHandlerRunsOnceForEachEvent() {
        try (ConfigurableApplicationContext application = new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.application.name=stock",
                        "spring.datasource.url=" + SharedServers.freshDatabase(),
                        "spring.jpa.hibernate.ddl-auto=none",
                        "spring.flyway.enabled=false",
                        "waybill.schema=apply")
                .run()) {
            JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
            jdbc.execute("CREATE TABLE seen (id varchar(20), total integer)");
            TransactionTemplate transaction = application.getBean(TransactionTemplate.class);
            TransactionalOutbox outbox = application.getBean(TransactionalOutbox.class);
            DomainEventFactory factory = application.getBean(DomainEventFactory.class);
            transaction.executeWithoutResult(
                    status -> outbox.append(factory.create("order.placed", "Order", 7, new OrderPlaced(42))));

            await().untilAsserted(() -> assertThat(jdbc.queryForList("SELECT total FROM seen", Integer.class))
                    .containsExactly(42));
            assertThat(jdbc.queryForObject("SELECT count(*) FROM processed_events", Integer.class))
                    .isEqualTo(1);
        }
    }

    record OrderPlaced(int total) {}

    @EnableAutoConfiguration
    @Import(Handlers.class)
    static class App {}

    static class Handlers {
        private final JdbcTemplate jdbc;

        Handlers(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @InboxHandler("order.placed")
        void on(OrderPlaced placed, Event event) {
            jdbc.update("INSERT INTO seen VALUES (?, ?)", event.key(), placed.total());
        }
    }
}
