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
 * Idempotency keys. A short transaction takes the key for this call; then the work and its response are one transaction.
 *
 * <p>When work takes longer than the takeover time, a repetition of the request takes the key over, and both are at work. The first
 * one to write its response wins, whoever owns the key: the other one finds the response there, and its own work is rolled back.
 * If the owner alone could finish, repeated requests would take the key from each other for ever.
 */
final class IdempotencyKeyTable implements IdempotencyKeys<Connection> {
    private static final Logger LOG = LoggerFactory.getLogger(JdbcInbox.class);

    /** One in so many calls also removes keys whose time is over, up to {@link #CHUNK} of them. */
    private static final int BETWEEN_PRUNES = 100;

    private static final int CHUNK = 1_000;

    private final Transactions database;
    private final InboxTransactions<Connection> transactions;
    private final AtomicLong calls;

    IdempotencyKeyTable(Transactions database, InboxTransactions<Connection> transactions, AtomicLong calls) {
        this.database = database;
        this.transactions = transactions;
        this.calls = calls;
    }

    private record Found(String hash, Optional<Response> response) {}

    @Override
    public Response answer(
            String scope,
            String key,
            String requestHash,
            Duration keep,
            InboxTransactions.Work<Connection, Response> work) {
        pruneInPassing();
        UUID owner = UUID.randomUUID();
        String what = "use idempotency key " + key;
        Optional<Response> stored = database.transaction(what, connection -> {
            boolean taken = InboxStatement.insert(
                            connection, what, s -> s.takeKey, requestHash, owner, TAKEOVER, keep, scope, key)
                    || InboxStatement.update(
                                    connection,
                                    what,
                                    s -> s.takeKeyOver,
                                    owner,
                                    keep,
                                    requestHash,
                                    TAKEOVER,
                                    scope,
                                    key,
                                    requestHash)
                            == 1;
            return taken ? Optional.empty() : Optional.of(stored(connection, what, scope, key, requestHash));
        });
        return stored.orElseGet(() -> work(scope, key, owner, requestHash, keep, work));
    }

    private static Response stored(Connection connection, String what, String scope, String key, String requestHash) {
        Found found = InboxStatement.query(
                connection,
                what,
                s -> s.readKey,
                (dialect, row) -> {
                    if (!row.next()) {
                        return new Found(requestHash, Optional.empty()); // dropped in this moment by work that failed
                    }
                    int status = row.getInt(2);
                    Optional<Response> response =
                            row.wasNull() ? Optional.empty() : Optional.of(new Response(status, row.getString(3)));
                    return new Found(row.getString(1), response);
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
                transactions.onRollback(() -> drop(scope, key, owner));
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
                    throw new AnsweredMeanwhile();
                }
                return response;
            });
        } catch (AnsweredMeanwhile e) {
            if (joined) { // the caller's transaction must not commit the work, so this call has no response either
                throw Conflict.inProgress(key);
            }
            return database.transaction(what, connection -> stored(connection, what, scope, key, requestHash));
        } catch (RuntimeException | Error e) {
            try {
                drop(scope, key, owner);
            } catch (RuntimeException another) {
                e.addSuppressed(another);
            }
            throw e;
        }
    }

    /** Rolls the work back: a repetition of the request has stored its response first. */
    private static final class AnsweredMeanwhile extends RuntimeException {
        private static final long serialVersionUID = 1L;

        AnsweredMeanwhile() {
            super("A repetition of this request was answered first.", null, false, false);
        }
    }

    /** Lets the client try again at once; should this fail too, the key is free when its takeover time is over. */
    private void drop(String scope, String key, UUID owner) {
        database.transaction(
                "free idempotency key " + key,
                connection -> InboxStatement.update(connection, "free a key", s -> s.dropKey, scope, key, owner));
    }

    /** Keys come with requests, so requests remove them: no service has to remember to do it. */
    private void pruneInPassing() {
        if (calls.getAndIncrement() % BETWEEN_PRUNES == 0) {
            try {
                prune(CHUNK);
            } catch (RuntimeException e) {
                LOG.debug("Cannot remove old idempotency keys; trying again in {} calls", BETWEEN_PRUNES, e);
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
