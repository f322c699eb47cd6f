package io.waybill.mongodb.inbox;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gt;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Filters.lt;
import static com.mongodb.client.model.Filters.lte;
import static com.mongodb.client.model.Filters.or;
import static com.mongodb.client.model.Projections.include;
import static com.mongodb.client.model.Sorts.ascending;
import static com.mongodb.client.model.Updates.combine;
import static com.mongodb.client.model.Updates.set;

import com.mongodb.MongoWriteException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import io.waybill.inbox.IdempotencyKeys;
import io.waybill.inbox.InboxTransactions;
import io.waybill.mongodb.internal.db.Collections;
import io.waybill.mongodb.internal.db.MongoErrors;
import io.waybill.mongodb.internal.db.MongoTransactions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The idempotency keys. An atomic write acquires the key for a call. Then one transaction runs the work and stores its response.
 *
 * <p>If the work takes longer than the takeover time, a repeated request takes the key over, and two calls run the work at the same
 * time. The first call that stores its response wins, even if it does not own the key any more. The transaction of the other one
 * conflicts, runs again, finds that response, and is rolled back.
 */
final class IdempotencyKeyDocuments implements IdempotencyKeys<ClientSession> {
    private static final Logger LOG = LoggerFactory.getLogger(MongoInbox.class);

    /** One in this number of calls also deletes expired keys, up to {@link #PRUNE_LIMIT} of them. */
    private static final int CALLS_PER_PRUNE = 100;

    private static final int PRUNE_LIMIT = 1_000;
    private static final String SCOPE = "scope";
    private static final String KEY = "key";
    private static final String HASH = "request_hash";
    private static final String OWNER = "owner";
    private static final String STATUS = "status";
    private static final String BODY = "body";

    private final MongoTransactions database;
    private final InboxTransactions<ClientSession> transactions;
    private final AtomicLong calls;
    private final MongoCollection<Document> keys;

    IdempotencyKeyDocuments(
            MongoTransactions database, InboxTransactions<ClientSession> transactions, AtomicLong calls) {
        this.database = database;
        this.transactions = transactions;
        this.calls = calls;
        this.keys = database.collection(Collections.IDEMPOTENCY_KEYS);
    }

    private static Bson of(String scope, String key) {
        return and(eq(SCOPE, scope), eq(KEY, key));
    }

    @Override
    public Response answer(
            String scope,
            String key,
            String requestHash,
            Duration keep,
            InboxTransactions.Work<ClientSession, Response> work) {
        pruneSometimes();
        String owner = UUID.randomUUID().toString();
        Instant now = database.now();
        boolean acquired = database.call(
                "use idempotency key " + key, () -> acquire(scope, key, requestHash, owner, now, now.plus(keep)));
        return acquired ? work(scope, key, owner, requestHash, keep, work) : stored(scope, key, requestHash);
    }

    private boolean acquire(String scope, String key, String hash, String owner, Instant now, Instant expiry) {
        Date locked = Date.from(now.plus(TAKEOVER));
        try {
            keys.insertOne(new Document(SCOPE, scope)
                    .append(KEY, key)
                    .append(HASH, hash)
                    .append(OWNER, owner)
                    .append(InboxFields.LOCKED_UNTIL, locked)
                    .append(InboxFields.EXPIRES_AT, Date.from(expiry))
                    .append(STATUS, null)
                    .append(BODY, null));
            return true;
        } catch (MongoWriteException e) {
            if (!MongoErrors.isDuplicateKey(e)) {
                throw e;
            }
        }
        // A lock that ends later than a new one would was taken before the clock was set back.
        Bson abandoned = and(
                of(scope, key),
                or(lte(InboxFields.LOCKED_UNTIL, Date.from(now)), gt(InboxFields.LOCKED_UNTIL, locked)),
                or(lte(InboxFields.EXPIRES_AT, Date.from(now)), and(eq(STATUS, null), eq(HASH, hash))));
        return keys.updateOne(
                                abandoned,
                                combine(
                                        set(STATUS, null),
                                        set(BODY, null),
                                        set(OWNER, owner),
                                        set(HASH, hash),
                                        set(InboxFields.LOCKED_UNTIL, locked),
                                        set(InboxFields.EXPIRES_AT, Date.from(expiry))))
                        .getMatchedCount()
                == 1;
    }

    private Response stored(String scope, String key, String requestHash) {
        Document found = database.call(
                "read idempotency key " + key,
                () -> Optional.ofNullable(keys.find(of(scope, key)).first()).orElseGet(Document::new));
        String hash = found.getString(HASH);
        if (hash != null && !hash.equals(requestHash)) {
            throw Conflict.otherRequest(key);
        }
        Integer status = found.getInteger(STATUS);
        if (status == null) {
            throw Conflict.inProgress(key); // or the work has failed just now and released the key
        }
        return new Response(status, found.getString(BODY));
    }

    private Response work(
            String scope,
            String key,
            String owner,
            String requestHash,
            Duration keep,
            InboxTransactions.Work<ClientSession, Response> work) {
        boolean joined = transactions.joinsOpen();
        try {
            return transactions.transaction("store the response of idempotency key " + key, session -> {
                transactions.onRollback(() -> release(scope, key, owner));
                Response response = work.in(session);
                if (!complete(session, scope, key, owner, requestHash, keep, response)) {
                    throw new AlreadyAnsweredException();
                }
                return response;
            });
        } catch (AlreadyAnsweredException e) {
            if (joined) { // the caller's transaction must not commit the work, so this call must not return a response
                throw Conflict.inProgress(key);
            }
            return stored(scope, key, requestHash);
        } catch (RuntimeException | Error e) {
            try {
                release(scope, key, owner);
            } catch (RuntimeException another) {
                e.addSuppressed(another);
            }
            throw e;
        }
    }

    private boolean complete(
            ClientSession session,
            String scope,
            String key,
            String owner,
            String hash,
            Duration keep,
            Response response) {
        Date now = Date.from(database.now());
        Date expiry = Date.from(database.now().plus(keep));
        long completed = keys.updateOne(
                        session,
                        and(of(scope, key), eq(HASH, hash), eq(STATUS, null)),
                        combine(
                                set(STATUS, response.status()),
                                set(BODY, response.body()),
                                set(InboxFields.EXPIRES_AT, expiry)))
                .getMatchedCount();
        if (completed == 1) {
            return true;
        }
        if (keys.find(session, of(scope, key)).first() != null) {
            return false;
        }
        // Another call took the key over, failed, and released it.
        keys.insertOne(
                session,
                new Document(SCOPE, scope)
                        .append(KEY, key)
                        .append(HASH, hash)
                        .append(OWNER, owner)
                        .append(InboxFields.LOCKED_UNTIL, now)
                        .append(InboxFields.EXPIRES_AT, expiry)
                        .append(STATUS, response.status())
                        .append(BODY, response.body()));
        return true;
    }

    /** Rolls the work back, because a repeated call with the same key has stored its response first. */
    private static final class AlreadyAnsweredException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        AlreadyAnsweredException() {
            super("A repetition of this request was answered first.", null, false, false);
        }
    }

    /** Releases the key, so that the client can retry at once. If this fails, the key can be taken over after the takeover time. */
    private void release(String scope, String key, String owner) {
        database.call(
                "release idempotency key " + key,
                () -> keys.deleteOne(and(of(scope, key), eq(OWNER, owner), eq(STATUS, null))));
    }

    /** Requests create keys, so requests also delete expired ones. A service need not schedule it. */
    private void pruneSometimes() {
        if (calls.getAndIncrement() % CALLS_PER_PRUNE == 0) {
            try {
                prune(PRUNE_LIMIT);
            } catch (RuntimeException e) {
                LOG.debug("Cannot delete expired idempotency keys; retrying in {} calls", CALLS_PER_PRUNE, e);
            }
        }
    }

    @Override
    public int prune(int limit) {
        Date now = Date.from(database.now());
        return database.call("remove old idempotency keys", () -> {
            Bson old = and(lt(InboxFields.EXPIRES_AT, now), lt(InboxFields.LOCKED_UNTIL, now));
            List<Object> ids = new ArrayList<>();
            keys.find(old)
                    .projection(include("_id"))
                    .sort(ascending(InboxFields.EXPIRES_AT))
                    .limit(limit)
                    .forEach(expired -> ids.add(expired.get("_id")));
            return ids.isEmpty()
                    ? 0
                    : (int) keys.deleteMany(and(in("_id", ids), old)).getDeletedCount();
        });
    }
}
