package io.waybill.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.jdbc.Engine;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.jdbc.saga.SagaSchema;
import io.waybill.testkit.servers.SharedServers;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/** Flyway creates the tables before they are checked, in addition to the application's own migrations. */
class FlywayTest {
    private static final String LOCATIONS = "spring.flyway.locations=classpath:orders,classpath:waybill/flyway/%s,"
            + "classpath:waybill/flyway/inbox,classpath:waybill/flyway/saga";

    @Test
    void flywayCreatesTheTablesBeforeTheyAreChecked() {
        String database = SharedServers.freshDatabase();
        for (int start = 1; start <= 2; start++) {
            try (ConfigurableApplicationContext application = run(database, Engine.JOURNAL)) {
                DataSource dataSource = application.getBean(DataSource.class);
                assertThat(OutboxSchema.problems(dataSource)).isEmpty();
                assertThat(InboxSchema.problems(dataSource)).isEmpty();
                assertThat(SagaSchema.problems(dataSource)).isEmpty();
                assertThat(application.getBean(Flyway.class).info().applied())
                        .as("start " + start)
                        .hasSize(4);
            }
        }
    }

    @Test
    void theQueueEngineHasAFlywayLocation() {
        try (ConfigurableApplicationContext application = run(SharedServers.freshDatabase(), Engine.QUEUE)) {
            assertThat(OutboxSchema.engine(application.getBean(DataSource.class)))
                    .contains(Engine.QUEUE);
        }
    }

    private static ConfigurableApplicationContext run(String database, Engine engine) {
        return Apps.run(
                App.class,
                database,
                Apps.WITHOUT_JPA,
                "spring.flyway.enabled=true",
                LOCATIONS.formatted(engine.label()),
                "waybill.schema=check");
    }

    @EnableAutoConfiguration
    @Import(StartFailureTest.FirstHandler.class)
    static class App {}
}
