package io.waybill.jdbc.inbox;

import io.waybill.inbox.IdempotencyKeys;
import io.waybill.inbox.InboxTransactions;
import io.waybill.jdbc.internal.sql.Transactions;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The table {@code idempotency_keys}. A short transaction acquires the key for a call. Then one transaction runs the work and stores
 * its response.
 *
 * <p>If the work takes longer than the takeover time, a repeated request takes the key over, and two calls run the work at the same
 * time. The first call that stores its response wins, even if it does not own the key any more. The other call finds that
 * response, and its own work is rolled back. If only the owner could store a response, repeated requests could take the key
 * from each other forever.
 */
final class IdempotencyKeyTable implements IdempotencyKeys<Connection> {
    private static final Logger LOG = LoggerFactory.getLogger(JdbcInbox.class);

    /** One in this number of calls also deletes expired keys, up to {@link #PRUNE_LIMIT} of them. */
    private static final int CALLS_PER_PRUNE = 100;

    private static final int PRUNE_LIMIT = 1_000;

    private final Transactions database;
    private final InboxTransactions<Connection> transactions;
    private final AtomicLong calls;

    IdempotencyKeyTable(Transactions database, InboxTransactions<Connection> transactions, AtomicLong calls) {
        this.database = database;
        this.transactions = transactions;
        this.calls = calls;
    }

    private record StoredKey(String hash, Optional<Response> response) {}

    @Override
    public Response answer(
            String scope,
            String key,
            String requestHash,
            Duration keep,
            InboxTransactions.Work<Connection, Response> work) {
        pruneSometimes();
        UUID owner = UUID.randomUUID();
        String what = "use idempotency key " + key;
        Optional<Response> stored = database.transaction(what, connection -> {
            boolean acquired = InboxStatement.insert(
                            connection, what, s -> s.acquireKey, requestHash, owner, TAKEOVER, keep, scope, key)
                    || InboxStatement.update(
                                    connection,
                                    what,
                                    s -> s.takeOverKey,
                                    owner,
                                    keep,
                                    requestHash,
                                    TAKEOVER,
                                    scope,
                                    key,
                                    TAKEOVER,
                                    requestHash)
                            == 1;
            return acquired ? Optional.empty() : Optional.of(stored(connection, what, scope, key, requestHash));
        });
        return stored.orElseGet(() -> work(scope, key, owner, requestHash, keep, work));
    }

    private static Response stored(Connection connection, String what, String scope, String key, String requestHash) {
        StoredKey found = InboxStatement.query(
                connection,
                what,
                s -> s.readKey,
                (dialect, row) -> {
                    if (!row.next()) {
                        return new StoredKey(requestHash, Optional.empty()); // work failed and released the key
                    }
                    int status = row.getInt(2);
                    Optional<Response> response =
                            row.wasNull() ? Optional.empty() : Optional.of(new Response(status, row.getString(3)));
                    return new StoredKey(row.getString(1), response);
                },
                scope,
                key);
        if (!found.hash().equals(requestHash)) {
            throw Conflict.otherRequest(key);
        }
        return found.response().orElseThrow(() -> Conflict.inProgress(key));
    }

    private Response work(
            String scope,
            String key,
            UUID owner,
            String requestHash,
            Duration keep,
            InboxTransactions.Work<Connection, Response> work) {
        String what = "store the response of idempotency key " + key;
        boolean joined = transactions.joinsOpen();
        try {
            return transactions.transaction(what, connection -> {
                transactions.onRollback(() -> release(scope, key, owner));
                Response response = work.in(connection);
                boolean first = InboxStatement.update(
                                        connection,
                                        what,
                                        s -> s.completeKey,
                                        response.status(),
                                        response.body(),
                                        keep,
                                        scope,
                                        key,
                                        requestHash)
                                == 1
                        || InboxStatement.insert(
                                connection,
                                what,
                                s -> s.completeNewKey,
                                requestHash,
                                owner,
                                keep,
                                scope,
                                key,
                                response.status(),
                                response.body());
                if (!first) {
                    throw new AlreadyAnsweredException();
                }
                return response;
            });
        } catch (AlreadyAnsweredException e) {
            if (joined) { // the caller's transaction must not commit the work, so this call must not return a response
                throw Conflict.inProgress(key);
            }
            return database.transaction(what, connection -> stored(connection, what, scope, key, requestHash));
        } catch (RuntimeException | Error e) {
            try {
                release(scope, key, owner);
            } catch (RuntimeException another) {
                e.addSuppressed(another);
            }
            throw e;
        }
    }

    /** Rolls the work back, because a repeated call with the same key has stored its response first. */
    private static final class AlreadyAnsweredException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        AlreadyAnsweredException() {
            super("A repetition of this request was answered first.", null, false, false);
        }
    }

    /** Releases the key, so that the client can retry at once. If this fails, the key can be taken over after the takeover time. */
    private void release(String scope, String key, UUID owner) {
        database.transaction(
                "release idempotency key " + key,
                connection -> InboxStatement.update(connection, "release a key", s -> s.releaseKey, scope, key, owner));
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
        return database.transaction(
                "remove old idempotency keys",
                connection ->
                        InboxStatement.update(connection, "remove old idempotency keys", s -> s.pruneKeys, limit));
    }
}
