package io.waybill.spring.internal.outbox;

import io.waybill.Event;
import io.waybill.Outbox;
import io.waybill.spring.TransactionalOutbox;
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
        Event first = events.iterator().next();
        JoinedTransaction.require(dataSource, "append event " + first.type() + "/" + first.key(), "append");
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
}
