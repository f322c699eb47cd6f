package io.waybill.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.Event;
import io.waybill.testkit.servers.SharedServers;
import io.waybill.transport.Transport;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** Applications with RabbitMQ and with NATS: an event goes through the broker, and its handler runs once. */
class OtherBrokersTest {

    @Test
    void anEventGoesThroughRabbitMq() {
        deliversEachEventOnce(
                "RabbitMQ at ",
                "spring.rabbitmq.host=127.0.0.1",
                "spring.rabbitmq.port=" + SharedServers.rabbit().port());
    }

    @Test
    void anEventGoesThroughNats() {
        deliversEachEventOnce(
                "NATS at ",
                "waybill.nats.url=nats://127.0.0.1:" + SharedServers.nats().port(),
                "waybill.inbox.check-retention=false");
    }

    private static void deliversEachEventOnce(String transport, String... broker) {
        String[] settings = new String[broker.length + 2];
        System.arraycopy(broker, 0, settings, 2, broker.length);
        settings[0] = Apps.WITHOUT_JPA;
        settings[1] = "waybill.schema=apply";
        try (ConfigurableApplicationContext application =
                Apps.run(App.class, SharedServers.freshDatabase(), settings)) {
            assertThat(application.getBean(Transport.class).toString()).startsWith(transport);
            JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
            jdbc.execute("CREATE TABLE seen (place serial, id varchar(40))");
            for (String total : List.of("1", "2", "3")) {
                application
                        .getBean(TransactionTemplate.class)
                        .executeWithoutResult(status -> application
                                .getBean(TransactionalOutbox.class)
                                .append(Event.of("order.placed", "Order", "42", total)));
            }
            await().atMost(Duration.ofMinutes(4)).until(() -> seen(jdbc).contains("3"));
            assertThat(seen(jdbc)).containsExactly("1", "2", "3");
        }
    }

    private static List<String> seen(JdbcTemplate jdbc) {
        return jdbc.queryForList("SELECT id FROM seen ORDER BY place", String.class);
    }

    @EnableAutoConfiguration
    @Import(Handlers.class)
    static class App {}

    static class Handlers {
        private final JdbcTemplate jdbc;

        Handlers(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @InboxHandler("order.placed")
        void placed(String payload) {
            jdbc.update("INSERT INTO seen (id) VALUES (?)", payload);
        }
    }
}
