package io.waybill.spring.internal.mongo;

import com.mongodb.client.ClientSession;
import io.waybill.Event;
import io.waybill.Outbox;
import io.waybill.spring.TransactionalOutbox;
import io.waybill.spring.internal.outbox.InheritedHeaders;
import io.waybill.spring.internal.outbox.JoinedTransaction;
import java.util.Collection;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Appends events in the session of the current transaction, and wakes the relay after the commit. */
final class JoinedMongoOutbox implements TransactionalOutbox {
    private final CurrentSession session;
    private final Outbox<ClientSession> outbox;
    private final InheritedHeaders headers;
    private final TransactionSynchronization wakeUp;

    JoinedMongoOutbox(
            CurrentSession session, Outbox<ClientSession> outbox, InheritedHeaders headers, Runnable committed) {
        this.session = session;
        this.outbox = outbox;
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
        JoinedTransaction.require(
                session::isActive,
                "MongoDatabaseFactory",
                "append event " + first.type() + "/" + first.key(),
                "append");
        headers.on(outbox).append(session.find().orElseThrow(), events);
        TransactionSynchronizationManager.registerSynchronization(wakeUp);
    }
}
