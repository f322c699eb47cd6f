package io.waybill.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.Event;
import io.waybill.testkit.servers.SharedServers;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.support.TransactionTemplate;

/** An application is killed while it writes, publishes and handles events; after a restart, each event is handled exactly once. */
class CrashTest {
    @Test
    void everyCommittedChangeIsHandledOnceWhenTheApplicationIsKilled() throws Exception {
        String database = SharedServers.freshDatabase();
        JdbcTemplate jdbc = new JdbcTemplate(new DriverManagerDataSource(database));
        jdbc.execute("CREATE TABLE orders (id bigint PRIMARY KEY)");
        jdbc.execute("CREATE TABLE seen (id bigint)");
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Writer.class.getName(),
                        database)
                .redirectErrorStream(true)
                .start();
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
            String line = output.readLine();
            while (line != null && !line.equals("order 150")) {
                line = output.readLine();
            }
            assertThat(line).as("the child ended by itself").isNotNull();
        } finally {
            child.destroyForcibly().waitFor();
        }

        long committed = count(jdbc, "SELECT count(*) FROM orders");
        assertThat(count(jdbc, "SELECT count(*) FROM outbox_events")).isEqualTo(committed);
        try (ConfigurableApplicationContext next = Apps.run(
                App.class,
                database,
                Apps.WITHOUT_JPA,
                "waybill.relay.lease=2s",
                "spring.main.lazy-initialization=true")) {
            assertThat(next.getBean(RelayLifecycle.class).isRunning()).isTrue();
            await().atMost(Duration.ofMinutes(4))
                    .until(() -> count(jdbc, "SELECT count(DISTINCT id) FROM seen") == committed);
        }
        assertThat(count(jdbc, "SELECT count(*) FROM seen")).isEqualTo(committed);
    }

    private static long count(JdbcTemplate jdbc, String sql) {
        Long count = jdbc.queryForObject(sql, Long.class);
        return count == null ? -1 : count;
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
        void placed(Event event) {
            jdbc.update("INSERT INTO seen VALUES (?)", Long.parseLong(event.key()));
        }
    }

    /** The application that is killed. */
    static final class Writer {
        private Writer() {}

        public static void main(String[] arguments) {
            ConfigurableApplicationContext application = Apps.run(
                    App.class, arguments[0], Apps.WITHOUT_JPA, "waybill.schema=apply", "waybill.relay.lease=2s");
            JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
            TransactionTemplate transaction = application.getBean(TransactionTemplate.class);
            TransactionalOutbox outbox = application.getBean(TransactionalOutbox.class);
            for (long id = 1; ; id++) {
                long order = id;
                transaction.executeWithoutResult(status -> {
                    jdbc.update("INSERT INTO orders VALUES (?)", order);
                    outbox.append(Event.of("order.placed", "Order", Long.toString(order), "{}"));
                });
                System.out.println("order " + id);
            }
        }
    }
}
