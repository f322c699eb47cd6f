package io.waybill.spring.internal.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.Event;
import io.waybill.inbox.InboxStore;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.spring.Apps;
import io.waybill.spring.InboxHandler;
import io.waybill.testkit.servers.SharedServers;
import java.sql.Connection;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** The inbox refuses transactions of another resource: its mark would commit although the handler fails, and the retry would be a duplicate. */
@ExtendWith(OutputCaptureExtension.class)
class ForeignTransactionTest {
    @Test
    void anInboxWithAnotherDataSourcesTransactionManagerRefusesToStart(CapturedOutput output) {
        assertThatThrownBy(() -> Apps.run(
                                TwoDataSources.class,
                                SharedServers.freshDatabase(),
                                Apps.WITHOUT_JPA,
                                "other.url=" + SharedServers.freshDatabase(),
                                "waybill.schema=apply")
                        .close())
                .isNotNull();

        assertThat(output)
                .contains("The transaction manager")
                .contains("does not begin transactions of the DataSource that holds its tables")
                .contains("mark it @Primary");
    }

    @Test
    void aTransactionOfAnotherDataSourceMarksNothing() {
        DataSource ours = new DriverManagerDataSource(SharedServers.freshDatabase());
        InboxSchema.apply(ours);
        PlatformTransactionManager other =
                new JdbcTransactionManager(new DriverManagerDataSource(SharedServers.freshDatabase()));
        InboxStore<Connection> store = JdbcInbox.on(ours).store();
        NewTransactions transactions = new NewTransactions(ours, other, false, "inbox");

        assertThatThrownBy(() -> transactions.transaction(
                        "apply an event",
                        connection ->
                                store.admit(connection, "shop", Event.of("order.placed", "Order", "1", "{}"), false)))
                .hasMessageContaining("does not begin transactions of the DataSource that holds its tables");
        assertThat(new JdbcTemplate(ours).queryForList("SELECT * FROM processed_events"))
                .isEmpty();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Handlers.class)
    static class TwoDataSources {
        @Bean
        @Primary
        DataSource ours(Environment environment) {
            return new DriverManagerDataSource(environment.getRequiredProperty("spring.datasource.url"));
        }

        @Bean
        DataSource other(Environment environment) {
            return new DriverManagerDataSource(environment.getRequiredProperty("other.url"));
        }

        /** The only one, and of the wrong DataSource. */
        @Bean
        PlatformTransactionManager transactionManager(Environment environment) {
            return new JdbcTransactionManager(other(environment));
        }
    }

    static class Handlers {
        @InboxHandler("order.placed")
        void placed() {}
    }
}
