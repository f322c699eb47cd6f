package io.waybill.spring.internal.inbox;

import io.waybill.inbox.IdempotencyKeys;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxBuilder;
import io.waybill.inbox.InboxBuilder.Unknown;
import io.waybill.inbox.InboxListener;
import io.waybill.inbox.InboxTracer;
import io.waybill.inbox.VersionGuard;
import io.waybill.internal.Listeners;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.retry.RetryPolicy;
import io.waybill.spring.InboxFeed;
import io.waybill.spring.PayloadJson;
import io.waybill.spring.TransactionalOutbox;
import io.waybill.spring.WaybillProperties;
import io.waybill.spring.internal.broker.KafkaAutoConfiguration;
import io.waybill.spring.internal.broker.NatsAutoConfiguration;
import io.waybill.spring.internal.broker.RabbitAutoConfiguration;
import io.waybill.spring.internal.outbox.InheritedHeaders;
import io.waybill.spring.internal.outbox.OutboxAutoConfiguration;
import io.waybill.spring.internal.outbox.TransactionOwner;
import io.waybill.spring.internal.start.SchemaAtStart;
import io.waybill.spring.internal.start.ServiceName;
import io.waybill.spring.internal.start.StartFailure;
import io.waybill.transport.Transport;
import java.sql.Connection;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.transaction.PlatformTransactionManager;

/** Configures the consumer: the handlers, and the inbox that applies each event once. */
@AutoConfiguration(
        afterName = "io.waybill.spring.internal.mongo.MongoAutoConfiguration",
        after = {
            OutboxAutoConfiguration.class,
            KafkaAutoConfiguration.class,
            RabbitAutoConfiguration.class,
            NatsAutoConfiguration.class
        })
@ConditionalOnBean(TransactionalOutbox.class)
public class InboxAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBean(JdbcOutbox.class)
    JdbcInbox waybillJdbcInbox(DataSource dataSource) {
        return JdbcInbox.on(TransactionOwner.unwrapped(dataSource));
    }

    @Bean
    @ConditionalOnMissingBean(StoredInbox.class)
    @ConditionalOnBean(JdbcOutbox.class)
    JdbcStoredInbox waybillStoredInbox(
            DataSource dataSource,
            SchemaAtStart schema,
            JdbcInbox tables,
            JdbcOutbox outbox,
            ObjectProvider<PlatformTransactionManager> transactions) {
        return new JdbcStoredInbox(dataSource, schema, tables, outbox, transactions);
    }

    /** The work for a key runs in the current transaction, or in a new Spring transaction if none is active. */
    @Bean
    @ConditionalOnMissingBean(IdempotencyKeys.class)
    @ConditionalOnBean(JdbcOutbox.class)
    @Lazy // an application without a unique transaction manager must also start
    IdempotencyKeys<Connection> waybillIdempotencyKeys(
            JdbcInbox tables, DataSource dataSource, ObjectProvider<PlatformTransactionManager> transactions) {
        return tables.idempotencyKeys(new JoinedTransactions(
                TransactionOwner.unwrapped(dataSource), NewTransactions.manager(transactions, "inbox")));
    }

    @Bean
    static LazyInitializationExcludeFilter waybillHandlersAreNeverLazy() {
        return LazyInitializationExcludeFilter.forBeanTypes(InboxHandlers.class);
    }

    @Bean
    InboxHandlers<?> waybillInboxHandlers(
            ConfigurableListableBeanFactory beans,
            PayloadJson json,
            ObjectProvider<EngineHandlers> engines,
            StoredInbox<?> stored) {
        return new InboxHandlers<>(beans, json, engines, stored.transactionType());
    }

    @Bean
    ApplicationInbox waybillInboxConsumer(
            WaybillProperties properties,
            InboxHandlers<?> handlers,
            StoredInbox<?> stored,
            Environment environment,
            InheritedHeaders headers,
            ObjectProvider<InboxListener> listeners,
            ObjectProvider<InboxTracer> tracer,
            ObjectProvider<InboxFeed> feed,
            ObjectProvider<Transport> transport) {
        Supplier<String> group = () -> ServiceName.ofGroup(properties.inbox().group(), environment);
        return new ApplicationInbox(
                group,
                properties.inbox().enabled(),
                handlers,
                () -> inbox(stored, handlers, properties.inbox(), group.get(), headers, inbox -> {
                    inbox.listener(Listeners.all(
                            InboxListener.class, listeners.orderedStream().toList()));
                    tracer.ifUnique(inbox::tracer);
                }),
                () -> feed.getIfUnique(() -> inProcess(transport)));
    }

    @SuppressWarnings("unchecked") // the handlers were found for the transactions of this inbox
    private static <T> Inbox<T> inbox(
            StoredInbox<T> stored,
            InboxHandlers<?> found,
            WaybillProperties.Inbox settings,
            String group,
            InheritedHeaders headers,
            Consumer<InboxBuilder<T>> also) {
        InboxHandlers<T> handlers = (InboxHandlers<T>) found;
        InboxBuilder<T> inbox = stored.builder(group);
        handlers.retries(policy(settings.retry())).forEach(inbox::retry);
        handlers.byType().forEach((type, handler) -> inbox.on(type, headers.asCause(handler)));
        also.accept(inbox);
        if (settings.publishDeadLetters()) {
            inbox.deadLettersTo(stored.outbox());
        }
        return inbox(settings, inbox);
    }

    /** Without a feed, only the in-process transport delivers events to the handlers. */
    private static InboxFeed inProcess(ObjectProvider<Transport> transport) {
        Transport unique = transport.getIfUnique();
        if (unique != null && !(unique instanceof InProcessDelivery)) {
            throw new StartFailure(
                    "The application consumes events and has a Transport bean of its own (" + unique
                            + "), but no InboxFeed bean that reads events for the handlers.",
                    "Define an InboxFeed bean that reads from that broker, or set waybill.inbox.enabled=false.");
        }
        return InboxFeed.IN_PROCESS;
    }

    private static <T> Inbox<T> inbox(WaybillProperties.Inbox settings, InboxBuilder<T> inbox) {
        VersionGuard guard = switch (settings.versions()) {
            case OFF -> VersionGuard.OFF;
            case SKIP_STALE -> VersionGuard.SKIP_STALE;
            case STRICT -> VersionGuard.strict(settings.patience());
        };
        return inbox.retry(policy(settings.retry()))
                .retention(settings.retention())
                .onUnknownType(settings.onUnknownType() == null ? Unknown.SKIP : settings.onUnknownType())
                .onLateEvent(settings.onLateEvent())
                .pauseAfter(settings.pauseAfter())
                .versions(guard)
                .build();
    }

    private static RetryPolicy policy(WaybillProperties.InboxRetry retry) {
        return new RetryPolicy(retry.maxAttempts(), retry.firstDelay(), retry.longestDelay());
    }
}
