package io.waybill.spring;

import io.waybill.Event;
import io.waybill.Outbox;
import io.waybill.WaybillException;
import java.sql.Connection;
import java.util.Collection;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Appends events on the connection of the current transaction, and wakes the relay after the commit. */
final class JoinedOutbox implements TransactionalOutbox {
    private final DataSource dataSource;
    private final Outbox<Connection> outbox;
    private final PendingChanges changes;
    private final InheritedHeaders headers;
    private final TransactionSynchronization wakeUp;

    JoinedOutbox(
            DataSource dataSource,
            Outbox<Connection> outbox,
            PendingChanges changes,
            InheritedHeaders headers,
            Runnable committed) {
        this.dataSource = dataSource;
        this.outbox = outbox;
        this.changes = changes;
        this.headers = headers;
        this.wakeUp = new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                committed.run();
            }
        };
    }

    @Override
    public void append(Collection<Event> events) {
        if (events.isEmpty()) {
            return;
        }
        requireTransaction(events.iterator().next());
        changes.flush();
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            headers.on(outbox).append(connection, events);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
        // Spring keeps synchronizations in a set, so a transaction wakes the relay once, however many events it
        // appends.
        TransactionSynchronizationManager.registerSynchronization(wakeUp);
    }

    private void requireTransaction(Event event) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            throw refused(
                    event,
                    "no transaction is active. Call append inside the transaction that changes your data: from a"
                            + " @Transactional method, which must be called from another bean, or in a TransactionTemplate.");
        }
        if (CommitWatch.isOver()) {
            throw refused(
                    event,
                    "the transaction has already committed or rolled back, so the event would not be committed. Append it"
                            + " before the commit, with @TransactionalEventListener(phase = BEFORE_COMMIT), or in a transaction"
                            + " of its own, with @Transactional(propagation = REQUIRES_NEW).");
        }
        if (!TransactionOwner.is(dataSource)) {
            throw refused(
                    event,
                    "the active transaction does not belong to the DataSource of the outbox. Name the transaction manager of"
                            + " that DataSource in @Transactional, or mark it @Primary.");
        }
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw refused(event, "the active transaction is read-only. Remove readOnly = true where it begins.");
        }
    }

    private static WaybillException refused(Event event, String why) {
        return new WaybillException("Cannot append event " + event.type() + "/" + event.key() + ": " + why);
    }
}
