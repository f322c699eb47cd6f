package io.waybill.jdbc;

import io.waybill.inbox.IdempotencyKeys;
import io.waybill.inbox.InboxStore;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * Idempotency keys. A short transaction takes the key for this call; then the work and its response are one transaction, which
 * holds only while the key is still this call's: one that was frozen and taken over changes nothing.
 */
final class InboxKeys implements IdempotencyKeys<Connection> {
    private static final String TAKE = """
            INSERT INTO idempotency_keys (request_hash, owner, locked_until, expires_at, scope, key)
            VALUES (?, ?, clock_timestamp() + ? * interval '1 second', clock_timestamp() + ? * interval '1 second', ?, ?)""";

    private static final String TAKE_OVER = """
            UPDATE idempotency_keys
            SET status = NULL, body = NULL, owner = ?, expires_at = clock_timestamp() + ? * interval '1 second',
                request_hash = ?, locked_until = clock_timestamp() + ? * interval '1 second'
            WHERE scope = ? AND key = ? AND locked_until <= clock_timestamp()
              AND (expires_at <= clock_timestamp() OR status IS NULL AND request_hash = ?)""";

    private static final String READ =
            "SELECT request_hash, status, body FROM idempotency_keys WHERE scope = ? AND key = ?";

    private static final String COMPLETE = """
            UPDATE idempotency_keys SET status = ?, body = ?, expires_at = clock_timestamp() + ? * interval '1 second'
            WHERE scope = ? AND key = ? AND owner = ? AND status IS NULL""";

    private static final String DROP =
            "DELETE FROM idempotency_keys WHERE scope = ? AND key = ? AND owner = ? AND status IS NULL";

    private static final String PRUNE = """
            DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM idempotency_keys WHERE expires_at < clock_timestamp() AND locked_until < clock_timestamp()
                LIMIT ? FOR UPDATE SKIP LOCKED))""";

    private final Database database;

    InboxKeys(Database database) {
        this.database = database;
    }

    private record Found(String hash, Optional<Response> response) {}

    @Override
    public Response answer(
            String scope, String key, String requestHash, Duration keep, InboxStore.Work<Connection, Response> work) {
        UUID owner = UUID.randomUUID();
        String what = "use idempotency key " + key;
        Optional<Response> stored = database.transaction(what, connection -> {
            boolean taken =
                    InboxStatement.insert(connection, what, TAKE, requestHash, owner, TAKEOVER, keep, scope, key)
                            || InboxStatement.update(
                                            connection,
                                            what,
                                            TAKE_OVER,
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
        return stored.orElseGet(() -> work(scope, key, owner, keep, work));
    }

    private static Response stored(Connection connection, String what, String scope, String key, String requestHash) {
        Found found = InboxStatement.query(
                connection,
                what,
                READ,
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
            String scope, String key, UUID owner, Duration keep, InboxStore.Work<Connection, Response> work) {
        String what = "store the response of idempotency key " + key;
        try {
            return database.once(what, connection -> {
                Response response = work.in(connection);
                int completed = InboxStatement.update(
                        connection, what, COMPLETE, response.status(), response.body(), keep, scope, key, owner);
                if (completed == 0) {
                    throw Conflict.inProgress(key);
                }
                return response;
            });
        } catch (RuntimeException | Error e) {
            drop(scope, key, owner, e);
            throw e;
        }
    }

    /** Lets the client try again at once; should this fail too, the key is free when its takeover time is over. */
    private void drop(String scope, String key, UUID owner, Throwable cause) {
        try {
            database.transaction(
                    "free idempotency key " + key,
                    connection -> InboxStatement.update(connection, "free a key", DROP, scope, key, owner));
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    @Override
    public int prune(int limit) {
        return database.transaction(
                "remove old idempotency keys",
                connection -> InboxStatement.update(connection, "remove old idempotency keys", PRUNE, limit));
    }
}
