package io.waybill.spring.internal.outbox;

import io.waybill.admin.DeadLetters;
import io.waybill.admin.OutboxView;
import io.waybill.jdbc.JdbcEngine;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.spring.RelayLifecycle;
import io.waybill.spring.TransactionalOutbox;
import io.waybill.spring.WaybillProperties;
import io.waybill.spring.internal.start.SchemaAtStart;
import io.waybill.spring.internal.start.UnknownSettings;
import io.waybill.store.OutboxStore;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Configures the writer: tables, outbox and event factory. It refers to other auto-configurations by name, because Spring Boot 3.5
 * and 4 have them in different packages.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
            "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration",
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
            "org.springframework.boot.autoconfigure.jdbc.DataSourceTransactionManagerAutoConfiguration",
            "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
            "org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration"
        })
@ConditionalOnSingleCandidate(DataSource.class)
@ConditionalOnProperty(prefix = "waybill", name = "enabled", matchIfMissing = true)
@ConditionalOnProperty(prefix = "waybill", name = "store", havingValue = "jdbc", matchIfMissing = true)
@EnableConfigurationProperties(WaybillProperties.class)
public class OutboxAutoConfiguration {

    /** Its check must run although no other bean may need it. */
    @Bean
    static LazyInitializationExcludeFilter waybillSchemaIsNeverLazy() {
        return LazyInitializationExcludeFilter.forBeanTypes(SchemaAtStart.class);
    }

    @Bean
    @DependsOnDatabaseInitialization
    SchemaAtStart waybillSchema(
            DataSource dataSource,
            WaybillProperties properties,
            ConfigurableListableBeanFactory beans,
            Environment environment) {
        UnknownSettings.of(beans).refuse(environment);
        SchemaAtStart schema =
                new SchemaAtStart(TransactionOwner.unwrapped(dataSource), properties.schema(), properties.engine());
        if (!environment.containsProperty(LayoutAutoConfiguration.NAME)) { // the tables of a layout are checked with it
            schema.outbox();
        }
        return schema;
    }

    @Bean
    @ConditionalOnMissingBean
    JdbcEngine waybillEngine(DataSource dataSource, SchemaAtStart schema) {
        return JdbcEngine.on(TransactionOwner.unwrapped(dataSource), schema.engine());
    }

    @Bean
    @ConditionalOnMissingBean
    JdbcOutbox waybillJdbcOutbox(WaybillProperties properties) {
        return JdbcOutbox.withMaxPayload(Math.toIntExact(properties.maxPayload().toBytes()));
    }

    @Bean
    @ConditionalOnMissingBean(TransactionalOutbox.class)
    JoinedOutbox waybillTransactionalOutbox(
            DataSource dataSource,
            JdbcOutbox outbox,
            SchemaAtStart schema, // creates the tables first
            InheritedHeaders headers,
            ObjectProvider<PendingChanges> changes,
            ObjectProvider<RelayLifecycle> relay) {
        PendingChanges pending = () -> changes.ifAvailable(PendingChanges::flush);
        return new JoinedOutbox(
                TransactionOwner.unwrapped(dataSource),
                outbox,
                pending,
                headers,
                () -> relay.ifAvailable(RelayLifecycle::hint));
    }

    @Bean
    StoredOutbox waybillStoredOutbox(ObjectProvider<JdbcEngine> engine) {
        return new StoredOutbox() {
            @Override
            public OutboxStore store() {
                return engine.getObject().store();
            }

            @Override
            public OutboxView view() {
                return engine.getObject().view();
            }

            @Override
            public DeadLetters deadLetters() {
                return engine.getObject().deadLetters();
            }
        };
    }
}
