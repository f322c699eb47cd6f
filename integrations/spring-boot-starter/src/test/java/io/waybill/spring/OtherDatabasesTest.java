package io.waybill.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.waybill.Event;
import io.waybill.admin.EventState;
import io.waybill.inbox.Handler;
import io.waybill.jdbc.Engine;
import io.waybill.spring.internal.start.SchemaAtStart;
import io.waybill.spring.internal.start.StartFailure;
import io.waybill.spring.jpa.OutboxEventRepository;
import io.waybill.testkit.servers.SharedServers;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ScriptUtils;
import org.springframework.transaction.support.TransactionTemplate;

/** Applications on MariaDB and H2, where only the address of the database changes. */
class OtherDatabasesTest {
    private static String fresh(String database) {
        return database.equals("h2")
                ? "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1"
                : SharedServers.freshMariaDb();
    }

    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "h2"})
    void anEventIsAppendedRelayedHandledAndSeenByJpa(String database) {
        try (ConfigurableApplicationContext application =
                Apps.run(InProcessTest.App.class, fresh(database), "waybill.schema=apply")) {
            JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
            jdbc.execute("CREATE TABLE seen (what varchar(40))");
            TransactionTemplate transaction = application.getBean(TransactionTemplate.class);
            TransactionalOutbox outbox = application.getBean(TransactionalOutbox.class);
            Event placed = Event.of("order.placed", "Order", "7", "{\"total\":42}");
            transaction.executeWithoutResult(status -> outbox.append(placed));
            transaction.executeWithoutResult(status -> {
                outbox.append(Event.of("order.shipped", "Order", "7", "{}"));
                status.setRollbackOnly();
            });

            OutboxEventRepository events = application.getBean(OutboxEventRepository.class);
            await().atMost(Duration.ofMinutes(4)).until(() -> events.countByState(EventState.PUBLISHED) == 2);
            assertThat(jdbc.queryForList("SELECT what FROM seen", String.class))
                    .containsExactlyInAnyOrder("placed 42", "stocked");
            assertThat(jdbc.queryForObject("SELECT count(*) FROM processed_events", Integer.class))
                    .isEqualTo(2);
            assertThat(events.findById(placed.id())).hasValueSatisfying(found -> {
                assertThat(found.getId()).isEqualTo(placed.id());
                assertThat(found.getPayload()).isEqualTo("{\"total\":42}");
                assertThat(found.getOccurredAt())
                        .isBetween(
                                Instant.now().minusSeconds(600), Instant.now().plusSeconds(60));
            });
            assertThat(events.findByAggregateIdOrderBySeq("7")).hasSize(2);
        }
    }

    /** In MariaDB's default, REPEATABLE READ, a transaction sees events that are already removed. */
    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "h2"})
    void handlersRunInReadCommittedWhateverTheDefaultOfTheDatabase(String database) {
        IsolationApp.SEEN.set(0);
        try (ConfigurableApplicationContext application =
                Apps.run(IsolationApp.class, fresh(database), Apps.WITHOUT_JPA, "waybill.schema=apply")) {
            application
                    .getBean(TransactionTemplate.class)
                    .executeWithoutResult(status -> application
                            .getBean(TransactionalOutbox.class)
                            .append(Event.of("isolation.asked", "Question", "1", "{}")));
            await().atMost(Duration.ofMinutes(4)).until(() -> IsolationApp.SEEN.get() > 0);
            assertThat(IsolationApp.SEEN).hasValue(Connection.TRANSACTION_READ_COMMITTED);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class IsolationApp {
        static final AtomicInteger SEEN = new AtomicInteger();

        @Bean
        @InboxHandler("isolation.asked")
        Handler<Connection> asked() {
            return (connection, event) -> SEEN.set(connection.getTransactionIsolation());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "h2"})
    void missingTablesAreReportedWithTheSqlOfThatDatabase(String database) {
        DriverManagerDataSource dataSource = new DriverManagerDataSource(fresh(database));
        SchemaAtStart schema = new SchemaAtStart(dataSource, WaybillProperties.Schema.CHECK, null);
        List.<Runnable>of(schema::outbox, schema::inbox).forEach(check -> {
            assertThatThrownBy(check::run).isInstanceOfSatisfying(StartFailure.class, failure -> {
                assertThat(failure.action()).doesNotContain("Flyway");
                String sql = failure.action().substring(failure.action().indexOf("CREATE"));
                ScriptUtils.executeSqlScript(
                        DataSourceUtils.getConnection(dataSource), new ByteArrayResource(sql.getBytes(UTF_8)));
            });
            check.run();
        });
    }

    @Test
    void theJournalIsRefusedOnADatabaseWithoutIt() {
        SchemaAtStart schema = new SchemaAtStart(
                new DriverManagerDataSource(fresh("h2")), WaybillProperties.Schema.APPLY, Engine.JOURNAL);
        assertThatThrownBy(schema::outbox)
                .isInstanceOf(StartFailure.class)
                .hasMessageContaining("journal, which needs PostgreSQL, and the DataSource is a H2");
    }
}
