package io.waybill.inbox;

import io.waybill.WaybillException;
import java.time.Duration;

/**
 * Answers a repeated HTTP request with the response of the first one. A key belongs to one request, known by its hash; its work
 * and the record of its response are one transaction.
 *
 * @param <T> what a transaction is here: a JDBC {@code Connection}, a MongoDB client session
 */
public interface IdempotencyKeys<T> {
    /** How long a request stays in progress; after that a repetition begins its work too, and the first one to finish counts. */
    Duration TAKEOVER = Duration.ofSeconds(30);

    /** @param body stored as it is */
    record Response(int status, String body) {}

    /**
     * Does the work and stores its response, or returns the stored one. Work that throws leaves the key unused.
     *
     * @param scope keeps the keys of different operations or tenants apart
     * @param keep how long the response is kept, a day as a rule
     * @throws Conflict when the key belongs to another request, or to one in progress: 409 for the client
     */
    Response answer(
            String scope, String key, String requestHash, Duration keep, InboxTransactions.Work<T, Response> work);

    /**
     * Removes at most {@code limit} keys whose time is over, and returns how many. Calls of {@link #answer} do so by themselves
     * from time to time.
     */
    int prune(int limit);

    /** The key cannot be used for this request, or not now. */
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
                    "The request with idempotency key " + key + " is in progress. Repeat it in a moment.", true);
        }

        public boolean isInProgress() {
            return inProgress;
        }
    }
}
