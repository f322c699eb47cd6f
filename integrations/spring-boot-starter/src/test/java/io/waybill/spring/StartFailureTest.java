package io.waybill.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.jdbc.OutboxSchema;
import io.waybill.testkit.servers.SharedServers;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** What is printed when an application cannot start names the remedy. */
@ExtendWith(OutputCaptureExtension.class)
class StartFailureTest {
    @Test
    void missingTablesComeWithTheirSql(CapturedOutput output) {
        fails(Plain.class, SharedServers.freshDatabase());

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Waybill's tables do not exist in the database")
                .contains("Set waybill.schema=apply")
                .contains("add classpath:waybill/flyway/journal to spring.flyway.locations")
                .contains("CREATE TABLE outbox_events (");
    }

    @Test
    void theSqlOfTheReportIsComplete() {
        String database = SharedServers.freshDatabase();
        DataSource dataSource = new DriverManagerDataSource(database);
        assertThatThrownBy(() -> schema(dataSource).outbox())
                .isInstanceOfSatisfying(
                        StartFailure.class, failure -> new JdbcTemplate(dataSource).execute(sqlOf(failure)));

        assertThat(OutboxSchema.problems(dataSource)).isEmpty();
        assertThatThrownBy(() -> schema(dataSource).inbox())
                .isInstanceOfSatisfying(
                        StartFailure.class, failure -> new JdbcTemplate(dataSource).execute(sqlOf(failure)));
        schema(dataSource).inbox();
    }

    private static SchemaAtStart schema(DataSource dataSource) {
        return new SchemaAtStart(dataSource, WaybillProperties.Schema.CHECK, null);
    }

    private static String sqlOf(StartFailure failure) {
        return failure.action().substring(failure.action().indexOf("CREATE"));
    }

    @Test
    void aMissingInboxIsFoundWhenThereAreHandlers(CapturedOutput output) {
        String database = withOutbox();
        fails(WithHandler.class, database);

        assertThat(output).contains("classpath:waybill/flyway/inbox").contains("CREATE TABLE processed_events (");
    }

    @Test
    void anotherVersionIsRefused(CapturedOutput output) {
        String database = withOutbox();
        new JdbcTemplate(new DriverManagerDataSource(database)).execute("UPDATE waybill_schema SET version = 99");
        fails(Plain.class, database);

        assertThat(output).contains("schema version 99").contains("Use a newer Waybill");
    }

    @Test
    void kafkaWithoutAnAddressIsRefused(CapturedOutput output) {
        fails(Plain.class, withOutbox(), "waybill.transport=kafka");

        assertThat(output).contains("no broker is named").contains("waybill.kafka.bootstrap-servers=host:port");
    }

    @Test
    void inProcessWithoutHandlersIsRefused(CapturedOutput output) {
        fails(Plain.class, withOutbox(), "waybill.transport=in-process");

        assertThat(output).contains("Events have nowhere to go").contains("add an @InboxHandler");
    }

    @Test
    void twoHandlersOfOneTypeAreNamed(CapturedOutput output) {
        fails(TwoHandlers.class, withOutbox());

        assertThat(output)
                .contains("Event type order.placed has two handlers: ")
                .contains("StartFailureTest$FirstHandler.on")
                .contains("StartFailureTest$SecondHandler.on");
    }

    @Test
    void aMissingDataSourceIsTheAnswerToAMissingOutbox(CapturedOutput output) {
        fails(
                WantsOutbox.class,
                "",
                "spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration,"
                        + Apps.WITHOUT_JPA.substring(Apps.WITHOUT_JPA.indexOf('=') + 1));

        assertThat(output)
                .contains("TransactionalOutbox is needed, and Waybill did not configure it: the application has no"
                        + " DataSource.")
                .contains("Set spring.datasource.url=jdbc:postgresql://");
    }

    @Test
    void severalDataSourcesNeedAPrimaryOne(CapturedOutput output) {
        fails(TwoDataSources.class, "");

        assertThat(output).contains("has 2 DataSources, none of them primary").contains("@Primary");
    }

    private static String withOutbox() {
        String database = SharedServers.freshDatabase();
        OutboxSchema.apply(new DriverManagerDataSource(database));
        return database;
    }

    private static void fails(Class<?> application, String database, String... properties) {
        String[] all = new String[properties.length + 1];
        all[0] = Apps.WITHOUT_JPA;
        System.arraycopy(properties, 0, all, 1, properties.length);
        assertThatThrownBy(() -> Apps.run(application, database, all).close()).isNotNull();
    }

    @EnableAutoConfiguration
    static class Plain {}

    @EnableAutoConfiguration
    @Import(FirstHandler.class)
    static class WithHandler {}

    @EnableAutoConfiguration
    @Import({FirstHandler.class, SecondHandler.class})
    static class TwoHandlers {}

    static class FirstHandler {
        @InboxHandler("order.placed")
        void on() {}
    }

    static class SecondHandler {
        @InboxHandler("order.placed")
        void on() {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Service.class)
    static class WantsOutbox {}

    static class Service {
        Service(TransactionalOutbox outbox) {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Service.class)
    static class TwoDataSources {
        @Bean
        DataSource one() {
            return new DriverManagerDataSource("jdbc:postgresql:one");
        }

        @Bean
        DataSource two() {
            return new DriverManagerDataSource("jdbc:postgresql:two");
        }
    }
}
