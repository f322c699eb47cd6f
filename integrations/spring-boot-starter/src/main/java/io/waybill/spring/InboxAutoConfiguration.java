package io.waybill.spring;

import io.waybill.inbox.IdempotencyKeys;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxBuilder;
import io.waybill.inbox.InboxBuilder.Unknown;
import io.waybill.inbox.InboxListener;
import io.waybill.inbox.VersionGuard;
import io.waybill.jdbc.DatabaseProduct;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.transport.Transport;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.transaction.PlatformTransactionManager;

/** Configures the consumer: the handlers, and the inbox that applies each event once. */
@AutoConfiguration(
        after = {
            WaybillAutoConfiguration.class,
            KafkaAutoConfiguration.class,
            RabbitAutoConfiguration.class,
            NatsAutoConfiguration.class
        })
@ConditionalOnBean(TransactionalOutbox.class)
class InboxAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    JdbcInbox waybillJdbcInbox(DataSource dataSource) {
        return JdbcInbox.on(WaybillAutoConfiguration.unwrapped(dataSource));
    }

    /** The work behind a key joins the current transaction, or begins a new Spring transaction. */
    @Bean
    @ConditionalOnMissingBean(IdempotencyKeys.class)
    @Lazy // an application without a unique transaction manager must start, too
    IdempotencyKeys<Connection> waybillIdempotencyKeys(
            JdbcInbox tables, DataSource dataSource, ObjectProvider<PlatformTransactionManager> transactions) {
        return tables.idempotencyKeys(
                new JoinedTransactions(WaybillAutoConfiguration.unwrapped(dataSource), manager(transactions)));
    }

    @Bean
    InboxHandlers waybillInboxHandlers(ConfigurableListableBeanFactory beans, PayloadJson json) {
        return new InboxHandlers(beans, json);
    }

    @Bean
    InboxConsumer waybillInboxConsumer(
            WaybillProperties properties,
            InboxHandlers handlers,
            Environment environment,
            InheritedHeaders headers,
            SchemaAtStart schema,
            DataSource dataSource,
            JdbcInbox tables,
            JdbcOutbox outbox,
            ObjectProvider<PlatformTransactionManager> transactions,
            ObjectProvider<InboxListener> listeners,
            ObjectProvider<InboxFeed> feed,
            ObjectProvider<Transport> transport) {
        Supplier<String> group = () -> ServiceName.ofGroup(properties.inbox().group(), environment);
        return new InboxConsumer(
                group,
                properties.inbox().enabled(),
                handlers,
                () -> {
                    String named = group.get(); // the first check: it needs no database
                    schema.inbox();
                    NewTransactions handling = new NewTransactions(
                            WaybillAutoConfiguration.unwrapped(dataSource),
                            manager(transactions),
                            !readsCommittedByDefault(dataSource));
                    handling.check();
                    InboxBuilder<Connection> inbox =
                            Inbox.builder(tables.store(), named).transactions(handling);
                    handlers.retries(properties.inbox().retry().policy()).forEach(inbox::retry);
                    handlers.byType().forEach((type, handler) -> inbox.on(type, headers.asCause(handler)));
                    inbox.listener(Listeners.all(
                            InboxListener.class, listeners.orderedStream().toList()));
                    if (properties.inbox().publishDeadLetters()) {
                        inbox.deadLettersTo(outbox);
                    }
                    return inbox(properties.inbox(), inbox);
                },
                () -> feed.getIfUnique(() -> inProcess(transport)));
    }

    /** Without a feed, only the in-process transport delivers events to the handlers. */
    private static InboxFeed inProcess(ObjectProvider<Transport> transport) {
        Transport unique = transport.getIfUnique();
        if (unique != null && !(unique instanceof InProcessDelivery)) {
            throw new StartFailure(
                    "The application has an @InboxHandler and a Transport bean of its own (" + unique
                            + "), but no InboxFeed bean that reads events for the handlers.",
                    "Define an InboxFeed bean that reads from that broker, or set waybill.inbox.enabled=false.");
        }
        return InboxFeed.IN_PROCESS;
    }

    private static boolean readsCommittedByDefault(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            return DatabaseProduct.of(connection).readsCommittedByDefault();
        } catch (SQLException e) {
            throw new StartFailure(
                    "The inbox cannot reach its database: " + e.getMessage(),
                    "Check that it runs, and check its address.");
        }
    }

    private static PlatformTransactionManager manager(ObjectProvider<PlatformTransactionManager> transactions) {
        PlatformTransactionManager manager = transactions.getIfUnique();
        if (manager == null) {
            throw new StartFailure(
                    "The inbox needs the transaction manager of its DataSource, but there is none, or more than one.",
                    "Define one, or mark the one of that DataSource @Primary.");
        }
        return manager;
    }

    private static Inbox<Connection> inbox(WaybillProperties.Inbox settings, InboxBuilder<Connection> inbox) {
        VersionGuard guard = switch (settings.versions()) {
            case OFF -> VersionGuard.OFF;
            case SKIP_STALE -> VersionGuard.SKIP_STALE;
            case STRICT -> VersionGuard.strict(settings.patience());
        };
        return inbox.retry(settings.retry().policy())
                .retention(settings.retention())
                .onUnknownType(settings.onUnknownType() == null ? Unknown.SKIP : settings.onUnknownType())
                .onLateEvent(settings.onLateEvent())
                .pauseAfter(settings.pauseAfter())
                .versions(guard)
                .build();
    }
}
