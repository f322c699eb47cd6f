package io.waybill.spring.internal.saga;

import io.waybill.Outbox;
import io.waybill.WaybillException;
import io.waybill.inbox.Handler;
import io.waybill.internal.Listeners;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.saga.JdbcCommandStore;
import io.waybill.jdbc.saga.JdbcSagaStore;
import io.waybill.saga.Saga;
import io.waybill.saga.SagaJson;
import io.waybill.saga.SagaListener;
import io.waybill.saga.Sagas;
import io.waybill.saga.SagasBuilder;
import io.waybill.saga.participant.SagaParticipant;
import io.waybill.spring.InboxConsumer;
import io.waybill.spring.RelayLifecycle;
import io.waybill.spring.TransactionalOutbox;
import io.waybill.spring.TransactionalSagas;
import io.waybill.spring.WaybillProperties;
import io.waybill.spring.internal.inbox.EngineHandlers;
import io.waybill.spring.internal.inbox.NewTransactions;
import io.waybill.spring.internal.outbox.InheritedHeaders;
import io.waybill.spring.internal.outbox.PendingChanges;
import io.waybill.spring.internal.outbox.TransactionOwner;
import io.waybill.spring.internal.relay.RelayAutoConfiguration;
import io.waybill.spring.internal.start.SchemaAtStart;
import io.waybill.spring.internal.start.StartFailure;
import java.sql.Connection;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import tools.jackson.databind.json.JsonMapper;

/** Sagas, if their module is on the class path: the engine for the Saga beans, and the participant. */
@AutoConfiguration(after = RelayAutoConfiguration.class)
@ConditionalOnClass(Sagas.class)
@ConditionalOnBean({TransactionalOutbox.class, RelayLifecycle.class, JdbcOutbox.class})
public class SagaAutoConfiguration {

    /** The application's own mapper, if there is one, so that commands have the format of its events. */
    @Bean
    @ConditionalOnMissingBean
    SagaJson waybillSagaJson(ObjectProvider<JsonMapper> mapper) {
        JsonMapper own = mapper.getIfUnique();
        return own == null ? SagaJson.DEFAULT : SagaJson.with(own);
    }

    @Bean
    @ConditionalOnMissingBean(SagaParticipant.class)
    @Lazy // only a participant needs the tables and a consumer group
    SagaParticipant<Connection> waybillSagaParticipant(
            InboxConsumer consumer,
            DataSource dataSource,
            SchemaAtStart schema,
            TransactionalOutbox outbox,
            SagaJson json) {
        String group = consumer.group();
        schema.sagas();
        return SagaParticipant.of(
                group, JdbcCommandStore.on(TransactionOwner.unwrapped(dataSource)), joined(outbox), json);
    }

    /** Engine and participant run in Spring's transactions, so their events take the way of the application's own events. */
    private static Outbox<Connection> joined(TransactionalOutbox outbox) {
        return (connection, events) -> outbox.append(events);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(Saga.class)
    static class Engine {

        @Bean
        static LazyInitializationExcludeFilter waybillSagasAreNeverLazy() {
            return LazyInitializationExcludeFilter.forBeanTypes(EngineLifecycle.class);
        }

        @Bean(destroyMethod = "") // EngineLifecycle closes it
        @ConditionalOnMissingBean(Sagas.class)
        Sagas<Connection> waybillSagas(
                WaybillProperties properties,
                ObjectProvider<Saga<?>> definitions,
                DataSource dataSource,
                SchemaAtStart schema,
                TransactionalOutbox outbox,
                SagaJson json,
                ObjectProvider<PlatformTransactionManager> transactions,
                ObjectProvider<PendingChanges> changes,
                ObjectProvider<SagaListener> listeners) {
            schema.sagas();
            DataSource owned = TransactionOwner.unwrapped(dataSource);
            try {
                SagasBuilder<Connection> sagas = Sagas.builder(JdbcSagaStore.on(owned), joined(outbox))
                        .transactions(NewTransactions.of(dataSource, transactions, "saga engine"))
                        .flushAfterLocalWork(() -> {
                            changes.ifAvailable(PendingChanges::flush);
                            requireCommittable(owned);
                        })
                        .json(json)
                        .listener(Listeners.all(
                                SagaListener.class, listeners.orderedStream().toList()))
                        .workers(properties.saga().workers())
                        .longestPause(properties.saga().longestPause())
                        .retention(properties.saga().retention());
                definitions.orderedStream().forEach(sagas::add);
                return sagas.build();
            } catch (StartFailure known) {
                throw known;
            } catch (WaybillException wrong) {
                throw new StartFailure(
                        String.valueOf(wrong.getMessage()),
                        "Correct the Saga beans, or the settings under waybill.saga.");
            }
        }

        /** A caught exception of a @Transactional method leaves a transaction that cannot commit. */
        private static void requireCommittable(DataSource dataSource) {
            if (TransactionOwner.isRollbackOnly(dataSource)) {
                throw new WaybillException(
                        "The step has marked its transaction for rollback: a @Transactional method that it"
                                + " calls threw an exception, which the step caught. Let the step throw it, or give the method"
                                + " @Transactional(propagation = REQUIRES_NEW).");
            }
        }

        @Bean
        EngineHandlers waybillSagaReplies(Sagas<Connection> sagas) {
            AfterCommit wakeUp = new AfterCommit(sagas::hint);
            Handler<Connection> replies = (connection, event) -> {
                sagas.replies().handle(connection, event);
                TransactionSynchronizationManager.registerSynchronization(wakeUp);
            };
            return new EngineHandlers(sagas.eventTypes(), replies);
        }

        @Bean
        EngineLifecycle waybillSagaLifecycle(
                Sagas<Connection> sagas, WaybillProperties properties, RelayLifecycle relay) {
            return new EngineLifecycle(sagas, properties.saga().enabled(), relay);
        }

        @Bean
        @ConditionalOnMissingBean(TransactionalSagas.class)
        JoinedSagas waybillTransactionalSagas(
                DataSource dataSource,
                ObjectProvider<Sagas<Connection>> sagas,
                ObjectProvider<PendingChanges> changes,
                InheritedHeaders headers) {
            return new JoinedSagas(
                    TransactionOwner.unwrapped(dataSource),
                    sagas::getObject,
                    () -> changes.ifAvailable(PendingChanges::flush),
                    headers,
                    new AfterCommit(() -> sagas.ifAvailable(Sagas::hint)));
        }
    }
}
