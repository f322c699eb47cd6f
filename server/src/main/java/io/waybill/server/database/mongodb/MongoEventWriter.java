package io.waybill.server.database.mongodb;

import com.mongodb.MongoException;
import com.mongodb.TransactionOptions;
import com.mongodb.WriteConcern;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import io.waybill.Event;
import io.waybill.mongodb.MongoOutbox;
import io.waybill.server.database.EventWriter;
import io.waybill.store.StoreException;
import java.util.Collection;

/** Appends events in the transactions of one session. */
final class MongoEventWriter implements EventWriter {
    private static final int COMMITS = 5;

    private static final TransactionOptions DURABLE = TransactionOptions.builder()
            .writeConcern(WriteConcern.MAJORITY.withJournal(true))
            .build();

    private final ClientSession session;
    private final MongoOutbox outbox;

    MongoEventWriter(MongoClient client, String database, int maxPayload) {
        this.session = client.startSession();
        this.outbox = MongoOutbox.in(client.getDatabase(database)).withMaxPayload(maxPayload);
    }

    @Override
    public void append(Collection<Event> events) {
        if (!session.hasActiveTransaction()) {
            session.startTransaction(DURABLE);
        }
        try {
            outbox.append(session, events);
        } catch (MongoException e) {
            throw new StoreException("Cannot append the events: " + e.getMessage(), e);
        }
    }

    /** Repeats a commit whose result is unknown, as MongoDB prescribes. */
    @Override
    public void commit() {
        if (!session.hasActiveTransaction()) {
            return;
        }
        for (int attempt = 1; ; attempt++) {
            try {
                session.commitTransaction();
                return;
            } catch (MongoException e) {
                if (attempt == COMMITS || !e.hasErrorLabel(MongoException.UNKNOWN_TRANSACTION_COMMIT_RESULT_LABEL)) {
                    throw new StoreException("Cannot commit the events: " + e.getMessage(), e);
                }
            }
        }
    }

    /** Closing the session aborts its transaction. */
    @Override
    public void close() {
        session.close();
    }
}
