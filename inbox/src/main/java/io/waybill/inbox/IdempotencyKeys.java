package io.waybill.inbox;

import io.waybill.WaybillException;
import java.time.Duration;

/**
 * Answers a repeated HTTP request with the response to the first one. A key belongs to one request, which is identified by its hash.
 * The work of the request and the record of its response are one transaction.
 *
 * @param <T> the type of a transaction: a JDBC {@code Connection}, a MongoDB client session
 */
public interface IdempotencyKeys<T> {
    /**
     * How long a request is considered in progress. After that, a repeated request starts the work again; the response that is
     * stored first is kept.
     */
    Duration TAKEOVER = Duration.ofSeconds(30);

    /** @param body stored unchanged */
    record Response(int status, String body) {}

    /**
     * Runs the work and stores its response, or returns the stored response. If the work throws, the key stays unused.
     *
     * @param scope separates the keys of different operations or tenants
     * @param keep how long the response is kept, typically a day
     * @throws Conflict if the key belongs to another request or to a request in progress; respond with HTTP status 409
     */
    Response answer(
            String scope, String key, String requestHash, Duration keep, InboxTransactions.Work<T, Response> work);

    /**
     * Removes at most {@code limit} expired keys and returns their number. {@link #answer} also removes expired keys from time to
     * time.
     */
    int prune(int limit);

    /** The key cannot be used for this request, or cannot be used yet. */
    final class Conflict extends WaybillException {
        private static final long serialVersionUID = 1L;

        private final boolean inProgress;

        private Conflict(String message, boolean inProgress) {
            super(message);
            this.inProgress = inProgress;
        }

        public static Conflict otherRequest(String key) {
            return new Conflict(
                    "Idempotency key " + key + " was used for another request. Use a new key for a new request.",
                    false);
        }

        public static Conflict inProgress(String key) {
            return new Conflict(
                    "The request with idempotency key " + key + " is in progress. Retry it in a moment.", true);
        }

        public boolean isInProgress() {
            return inProgress;
        }
    }
}
