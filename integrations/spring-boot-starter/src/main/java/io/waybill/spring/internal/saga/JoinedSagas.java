package io.waybill.spring.internal.saga;

import io.waybill.saga.Saga;
import io.waybill.saga.Sagas;
import io.waybill.spring.TransactionalSagas;
import io.waybill.spring.internal.outbox.InheritedHeaders;
import io.waybill.spring.internal.outbox.JoinedTransaction;
import io.waybill.spring.internal.outbox.PendingChanges;
import java.sql.Connection;
import java.util.UUID;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Starts sagas on the connection of the current transaction, and wakes the engine after the commit. */
final class JoinedSagas implements TransactionalSagas {
    private final DataSource dataSource;
    private final Supplier<Sagas<Connection>> sagas;
    private final PendingChanges changes;
    private final InheritedHeaders headers;
    private final AfterCommit wakeUp;

    /** @param sagas called at the first start: the definitions may use beans that start sagas */
    JoinedSagas(
            DataSource dataSource,
            Supplier<Sagas<Connection>> sagas,
            PendingChanges changes,
            InheritedHeaders headers,
            AfterCommit wakeUp) {
        this.dataSource = dataSource;
        this.sagas = sagas;
        this.changes = changes;
        this.headers = headers;
        this.wakeUp = wakeUp;
    }

    @Override
    public <D> UUID start(Saga<D> saga, String businessKey, D data) {
        JoinedTransaction.require(dataSource, "start saga " + saga.name() + "/" + businessKey, "start");
        changes.flush();
        Connection connection = DataSourceUtils.getConnection(dataSource);
        UUID id;
        try {
            id = sagas.get().start(connection, saga, businessKey, data, headers.ofFlow());
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
        TransactionSynchronizationManager.registerSynchronization(wakeUp);
        return id;
    }
}
