package io.waybill.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.Event;
import io.waybill.inbox.Handler;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.spring.internal.start.SchemaAtStart;
import io.waybill.spring.internal.start.StartFailure;
import io.waybill.testkit.servers.SharedServers;
import io.waybill.transport.Delivery;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.sql.Connection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import javax.sql.DataSource;
import kotlin.coroutines.Continuation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** The report of a failed start names the remedy. */
@ExtendWith(OutputCaptureExtension.class)
class StartFailureTest {
    @Test
    void theReportOfMissingTablesContainsTheirSql(CapturedOutput output) {
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
    void missingInboxTablesAreReportedWhenThereAreHandlers(CapturedOutput output) {
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

        assertThat(output).contains("Events have no destination").contains("add an @InboxHandler");
    }

    @Test
    void handlersWithoutANameForTheirGroupAreRefused(CapturedOutput output) {
        fails(WithHandler.class, withOutbox(), "spring.application.name=", "waybill.schema=apply");

        assertThat(output)
                .contains("its consumer group is not known")
                .contains("Set spring.application.name, or waybill.inbox.group.");
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                AsyncHandler.class,
                AsyncClassHandler.class,
                FutureHandler.class,
                PublisherHandler.class,
                SuspendHandler.class,
                AsyncHandlerBean.class
            })
    void anAsynchronousHandlerIsRefused(Class<?> handler, CapturedOutput output) {
        fails(handler, withOutbox(), "waybill.schema=apply");

        assertThat(output)
                .contains("The @InboxHandler " + handler.getName())
                .contains("its event would count as handled before the work has succeeded");
    }

    @Test
    void aHandlerThatLeavesTheInboxsTransactionIsRefused(CapturedOutput output) {
        fails(ApartHandler.class, withOutbox(), "waybill.schema=apply");

        assertThat(output).contains("leaves the inbox's transaction").contains("Remove the propagation.");
    }

    @Test
    void aMistypedSettingIsRefusedWithTheClosestOne(CapturedOutput output) {
        fails(Plain.class, withOutbox(), "waybill.inbox.grup=shop");

        assertThat(output).contains("There is no setting waybill.inbox.grup. Did you mean waybill.inbox.group?");
    }

    @Test
    void handlersWithoutAFeedForTheOwnTransportAreRefused(CapturedOutput output) {
        fails(OwnTransport.class, withOutbox(), "waybill.schema=apply");

        assertThat(output)
                .contains("a Transport bean of its own (my broker), but no InboxFeed bean that reads events")
                .contains("Define an InboxFeed bean");
    }

    @Test
    void theReportOfAMissingOutboxNamesTheMissingDataSource(CapturedOutput output) {
        fails(
                WantsOutbox.class,
                "",
                "spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration,"
                        + Apps.WITHOUT_JPA.substring(Apps.WITHOUT_JPA.indexOf('=') + 1));

        assertThat(output)
                .contains("TransactionalOutbox is required, but Waybill did not configure it: the application has no"
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
    static class AsyncHandler {
        @Async
        @InboxHandler("order.placed")
        public void on() {}
    }

    @Async
    @EnableAutoConfiguration
    static class AsyncClassHandler {
        @InboxHandler("order.placed")
        public void on() {}
    }

    @EnableAutoConfiguration
    static class FutureHandler {
        @InboxHandler("order.placed")
        CompletableFuture<Void> on() {
            return new CompletableFuture<>();
        }
    }

    @EnableAutoConfiguration
    static class PublisherHandler {
        @InboxHandler("order.placed")
        Flow.Publisher<String> on() {
            return subscriber -> {};
        }
    }

    @EnableAutoConfiguration
    static class SuspendHandler {
        @InboxHandler("order.placed")
        Object on(String payload, Continuation<Object> rest) {
            return payload;
        }
    }

    @EnableAutoConfiguration
    @InboxHandler("order.placed")
    static class AsyncHandlerBean implements Handler<Connection> {
        @Async
        @Override
        public void handle(Connection connection, Event event) {}
    }

    @EnableAutoConfiguration
    static class ApartHandler {
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @InboxHandler("order.placed")
        public void on() {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(FirstHandler.class)
    static class OwnTransport {
        @Bean
        Transport mine() {
            return new Transport() {
                @Override
                public void send(Message message, Delivery delivery) {
                    delivery.acknowledged();
                }

                @Override
                public void probe() {}

                @Override
                public void close() {}

                @Override
                public String toString() {
                    return "my broker";
                }
            };
        }
    }

    static class FirstHandler {
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
