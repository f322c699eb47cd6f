package io.waybill.mongodb.inbox;

import static java.util.Objects.requireNonNull;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import io.waybill.inbox.Effects;
import io.waybill.inbox.IdempotencyKeys;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxBuilder;
import io.waybill.inbox.InboxDeadLetters;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.InboxTransactions;
import io.waybill.inbox.InboxView;
import io.waybill.inbox.VersionGuard;
import io.waybill.mongodb.internal.db.MongoTransactions;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The inbox on MongoDB. Any number of consumer groups share the collections, which {@link InboxSchema} creates.
 *
 * <p>A handler must pass its session to every operation, so that the operation belongs to the transaction. If the transaction conflicts
 * with another one, MongoDB aborts it and the handler runs again; only its last run commits.
 */
public final class MongoInbox {
    private final MongoTransactions database;
    private final AtomicLong keyCalls = new AtomicLong();

    private MongoInbox(MongoTransactions database) {
        this.database = database;
    }

    /** @param database the name of the database that holds the inbox and the data that handlers change */
    public static MongoInbox on(MongoClient client, String database) {
        return new MongoInbox(
                new MongoTransactions(requireNonNull(client, "client"), requireNonNull(database, "database")));
    }

    /** Returns a builder of an inbox that skips events whose entity version is not above the last version processed. */
    public InboxBuilder<ClientSession> builder(String group) {
        return Inbox.builder(store(), requireNonNull(group, "group")).versions(VersionGuard.SKIP_STALE);
    }

    public InboxStore<ClientSession> store() {
        return new MongoInboxStore(database);
    }

    public InboxView view() {
        return new MongoInboxView(database);
    }

    public InboxDeadLetters deadLetters() {
        return new DeadLetterDocuments(database);
    }

    /** Returns the effects of one group. They are pruned together with its processed events. */
    public Effects effects(String group) {
        return new EffectDocuments(database).of(requireNonNull(group, "group"));
    }

    /** Returns idempotency keys whose work runs in a new transaction. */
    public IdempotencyKeys<ClientSession> idempotencyKeys() {
        return idempotencyKeys(store());
    }

    /** Returns idempotency keys whose work runs in the given transactions. The same transaction stores the response. */
    public IdempotencyKeys<ClientSession> idempotencyKeys(InboxTransactions<ClientSession> transactions) {
        return new IdempotencyKeyDocuments(database, requireNonNull(transactions, "transactions"), keyCalls);
    }
}
