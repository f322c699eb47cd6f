package io.waybill.spring.internal.outbox;

import io.waybill.envelope.Envelope;
import io.waybill.jdbc.JdbcEngine;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.spring.EventFactory;
import io.waybill.spring.EventHeaders;
import io.waybill.spring.InboxConsumer;
import io.waybill.spring.PayloadJson;
import io.waybill.spring.RelayLifecycle;
import io.waybill.spring.TransactionalOutbox;
import io.waybill.spring.WaybillProperties;
import io.waybill.spring.internal.start.SchemaAtStart;
import io.waybill.spring.internal.start.ServiceName;
import io.waybill.spring.internal.start.UnknownSettings;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import tools.jackson.databind.json.JsonMapper;

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
@EnableConfigurationProperties(WaybillProperties.class)
public class OutboxAutoConfiguration {

    /**
     * Excludes background beans from spring.main.lazy-initialization. Otherwise they would never be created, because no other
     * bean needs them.
     */
    @Bean
    static LazyInitializationExcludeFilter waybillIsNeverLazy() {
        return LazyInitializationExcludeFilter.forBeanTypes(
                SchemaAtStart.class, OutboxEventListener.class, InboxConsumer.class, RelayLifecycle.class);
    }

    @Bean
    static CommitWatch waybillCommitWatch() {
        return new CommitWatch();
    }

    @Bean
    @DependsOnDatabaseInitialization
    SchemaAtStart waybillSchema(
            DataSource dataSource,
            WaybillProperties properties,
            ConfigurableListableBeanFactory beans,
            Environment environment) {
        new UnknownSettings(prefixes(beans)).refuse(environment);
        SchemaAtStart schema =
                new SchemaAtStart(TransactionOwner.unwrapped(dataSource), properties.schema(), properties.engine());
        if (!environment.containsProperty(LayoutAutoConfiguration.NAME)) { // the tables of a layout are checked with it
            schema.outbox();
        }
        return schema;
    }

    /** Returns the prefixes under waybill that belong to other @ConfigurationProperties classes. */
    private static List<String> prefixes(ConfigurableListableBeanFactory beans) {
        List<String> prefixes = new ArrayList<>();
        for (String name : beans.getBeanNamesForAnnotation(ConfigurationProperties.class)) {
            ConfigurationProperties rule = beans.findAnnotationOnBean(name, ConfigurationProperties.class);
            if (rule != null && rule.prefix().startsWith("waybill.")) {
                prefixes.add(rule.prefix());
            }
        }
        return prefixes;
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
    InheritedHeaders waybillInheritedHeaders(ObjectProvider<EventHeaders> sources) {
        return new InheritedHeaders(sources.orderedStream().toList());
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
    @ConditionalOnMissingBean
    PayloadJson waybillPayloadJson(ObjectProvider<JsonMapper> mapper) {
        return new JacksonJson(mapper.getIfUnique(() -> JsonMapper.builder().build()));
    }

    @Bean
    @ConditionalOnMissingBean
    EventFactory waybillEventFactory(PayloadJson json) {
        return new EventFactory(json);
    }

    @Bean
    OutboxEventListener waybillOutboxEventListener(TransactionalOutbox outbox, EventFactory factory) {
        return new OutboxEventListener(outbox, factory);
    }

    @Bean
    @ConditionalOnMissingBean
    Envelope waybillEnvelope(WaybillProperties properties, Environment environment) {
        return Envelope.standard(ServiceName.ofSource(properties.source(), environment));
    }
}
