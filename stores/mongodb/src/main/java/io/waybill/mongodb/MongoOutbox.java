package io.waybill.mongodb;

import static java.util.Objects.requireNonNull;

import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import io.waybill.Event;
import io.waybill.Outbox;
import io.waybill.WaybillException;
import io.waybill.internal.PayloadLimit;
import io.waybill.mongodb.internal.db.Collections;
import io.waybill.mongodb.internal.db.MongoErrors;
import io.waybill.mongodb.internal.outbox.EventDocuments;
import java.util.Collection;
import org.bson.Document;

/**
 * Appends events in the caller's session, in the caller's transaction. Never commits and never aborts. An instance can be used by all
 * threads.
 *
 * <p>If an error of the driver allows a retry of the transaction, {@code append} rethrows it unchanged, so that {@link
 * ClientSession#withTransaction} retries.
 */
public final class MongoOutbox implements Outbox<ClientSession> {
    /** A payload of this size and its envelope fit into the default message limit of a Kafka broker, one mebibyte. */
    public static final int DEFAULT_MAX_PAYLOAD_BYTES = PayloadLimit.DEFAULT_BYTES;

    /** A document of MongoDB has at most 16 MiB. */
    private static final int MAX_PAYLOAD_BYTES = 15_000_000;

    private final MongoCollection<Document> events;
    private final PayloadLimit limit;

    private MongoOutbox(MongoCollection<Document> events, PayloadLimit limit) {
        this.events = events;
        this.limit = limit;
    }

    /** @param database the database that holds the outbox; {@link OutboxSchema} creates its collections */
    public static MongoOutbox in(MongoDatabase database) {
        return new MongoOutbox(
                requireNonNull(database, "database").getCollection(Collections.EVENTS),
                new PayloadLimit(DEFAULT_MAX_PAYLOAD_BYTES));
    }

    /** @param bytes the largest payload in bytes of UTF-8; the broker must accept larger messages than this */
    public MongoOutbox withMaxPayload(int bytes) {
        return new MongoOutbox(events, PayloadLimit.of(bytes, MAX_PAYLOAD_BYTES));
    }

    @Override
    public void append(ClientSession transaction, Collection<Event> appended) {
        if (appended.isEmpty()) {
            return;
        }
        Event first = appended.iterator().next();
        String what = "append event " + first.type() + "/" + first.key()
                + (appended.size() == 1 ? "" : " and " + (appended.size() - 1) + " more");
        appended.forEach(limit::check);
        if (!transaction.hasActiveTransaction()) {
            throw new WaybillException("Cannot " + what
                    + ": no transaction is active in this session. Call startTransaction or withTransaction, and append"
                    + " inside the transaction that changes your data.");
        }
        try {
            events.bulkWrite(
                    transaction, appended.stream().map(EventDocuments::insert).toList());
        } catch (MongoException e) {
            if (MongoErrors.isTransient(e)) {
                throw e;
            }
            if (MongoErrors.isDuplicateKey(e)) {
                throw new WaybillException(
                        "Cannot " + what
                                + ": the outbox already contains an event with the same id. Abort the transaction, and use a"
                                + " new id for every event.",
                        e);
            }
            throw MongoErrors.explain(what, e);
        }
    }
}
