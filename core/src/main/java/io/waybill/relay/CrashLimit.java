package io.waybill.relay;

import io.waybill.retry.RetryPolicy;

/** How many relays an event may crash before it becomes a dead letter. */
final class CrashLimit {
    /** From the third crash on, a store claims an event alone; five crashes include at least two of those. */
    private static final int MIN_CRASHES = 5;

    private CrashLimit() {}

    /**
     * Whether an event becomes a dead letter because its relays crashed while sending it. That requires that the event was sent
     * alone twice, however low the limit of the policy is: before that, another event of the same batch may have caused the crash.
     */
    static boolean reached(RetryPolicy policy, int crashes) {
        return crashes >= Math.max(policy.maxAttempts(), MIN_CRASHES);
    }
}
