package io.waybill.spring.internal.mongo;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import io.waybill.admin.DeadLetters;
import io.waybill.admin.OutboxView;
import io.waybill.inbox.IdempotencyKeys;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.mongodb.MongoOutbox;
import io.waybill.mongodb.MongoOutboxStore;
import io.waybill.mongodb.inbox.MongoInbox;
import io.waybill.spring.RelayLifecycle;
import io.waybill.spring.TransactionalOutbox;
import io.waybill.spring.WaybillProperties;
import io.waybill.spring.internal.inbox.StoredInbox;
import io.waybill.spring.internal.outbox.InheritedHeaders;
import io.waybill.spring.internal.outbox.OutboxAutoConfiguration;
import io.waybill.spring.internal.outbox.StoredOutbox;
import io.waybill.spring.internal.start.UnknownSettings;
import io.waybill.store.OutboxStore;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Configures the writer and the inbox in MongoDB, for applications without a DataSource, or with {@code waybill.store=mongodb}. It
 * refers to other auto-configurations by name, because Spring Boot 3.5 and 4 have them in different packages.
 */
@AutoConfiguration(
        after = OutboxAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration",
            "org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration",
            "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration",
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
            "org.springframework.boot.autoconfigure.mongo.MongoAutoConfiguration",
            "org.springframework.boot.autoconfigure.data.mongo.MongoDataAutoConfiguration",
            "org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration"
        })
@ConditionalOnClass({MongoClient.class, MongoDatabaseFactory.class, MongoOutboxStore.class})
@ConditionalOnSingleCandidate(MongoDatabaseFactory.class)
@ConditionalOnMissingBean(JdbcOutbox.class)
@ConditionalOnProperty(prefix = "waybill", name = "enabled", matchIfMissing = true)
@ConditionalOnProperty(prefix = "waybill", name = "store", havingValue = "mongodb", matchIfMissing = true)
@EnableConfigurationProperties(WaybillProperties.class)
public class MongoAutoConfiguration {

    /** Its check must run although no other bean may need it. */
    @Bean
    static LazyInitializationExcludeFilter waybillSchemaIsNeverLazy() {
        return LazyInitializationExcludeFilter.forBeanTypes(MongoAtStart.class);
    }

    @Bean
    MongoAtStart waybillSchema(
            MongoClient client,
            MongoDatabaseFactory factory,
            ObjectProvider<MongoTransactionManager> managers,
            WaybillProperties properties,
            ConfigurableListableBeanFactory beans,
            Environment environment) {
        UnknownSettings.of(beans).refuse(environment);
        MongoAtStart.requireTransactions(factory, managers);
        MongoAtStart schema =
                new MongoAtStart(client, factory.getMongoDatabase().getName(), properties.schema());
        schema.outbox();
        return schema;
    }

    @Bean
    @ConditionalOnMissingBean
    MongoOutboxStore waybillMongoOutboxStore(MongoClient client, MongoAtStart schema) {
        return MongoOutboxStore.on(client, schema.database());
    }

    @Bean
    @ConditionalOnMissingBean
    MongoOutbox waybillMongoOutbox(MongoClient client, MongoAtStart schema, WaybillProperties properties) {
        return MongoOutbox.in(client.getDatabase(schema.database()))
                .withMaxPayload(Math.toIntExact(properties.maxPayload().toBytes()));
    }

    @Bean
    @ConditionalOnMissingBean
    MongoInbox waybillMongoInbox(MongoClient client, MongoAtStart schema) {
        return MongoInbox.on(client, schema.database());
    }

    @Bean
    StoredOutbox waybillStoredOutbox(MongoOutboxStore store) {
        return new StoredOutbox() {
            @Override
            public OutboxStore store() {
                return store;
            }

            @Override
            public OutboxView view() {
                return store.view();
            }

            @Override
            public DeadLetters deadLetters() {
                return store.deadLetters();
            }
        };
    }

    @Bean
    @ConditionalOnMissingBean(TransactionalOutbox.class)
    JoinedMongoOutbox waybillTransactionalOutbox(
            MongoDatabaseFactory factory,
            MongoOutbox outbox,
            InheritedHeaders headers,
            ObjectProvider<RelayLifecycle> relay) {
        return new JoinedMongoOutbox(
                new CurrentSession(factory), outbox, headers, () -> relay.ifAvailable(RelayLifecycle::hint));
    }

    @Bean
    @ConditionalOnMissingBean(StoredInbox.class)
    MongoStoredInbox waybillStoredInbox(
            MongoAtStart schema,
            MongoDatabaseFactory factory,
            MongoInbox inbox,
            MongoOutbox outbox,
            ObjectProvider<TransactionExecutionListener> listeners) {
        return new MongoStoredInbox(
                schema,
                inbox,
                outbox,
                SessionTransactions.always(new CurrentSession(factory), durable(factory, listeners)));
    }

    /** The work for a key runs in the current transaction, or in a new one if none is active. */
    @Bean
    @ConditionalOnMissingBean(IdempotencyKeys.class)
    @Lazy
    IdempotencyKeys<ClientSession> waybillIdempotencyKeys(
            MongoInbox inbox, MongoDatabaseFactory factory, ObjectProvider<TransactionExecutionListener> listeners) {
        return inbox.idempotencyKeys(
                SessionTransactions.joining(new CurrentSession(factory), durable(factory, listeners)));
    }

    /**
     * Returns a manager that is not a bean: it would compete with the application's own one for @Transactional. Both bind their session to
     * the same factory, so that each joins the transactions of the other one.
     */
    private static DurableTransactions durable(
            MongoDatabaseFactory factory, ObjectProvider<TransactionExecutionListener> listeners) {
        DurableTransactions manager = new DurableTransactions(factory);
        listeners.orderedStream().forEach(((ConfigurableTransactionManager) manager)::addListener);
        manager.afterPropertiesSet();
        return manager;
    }
}
