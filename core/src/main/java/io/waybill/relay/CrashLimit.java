package io.waybill.relay;

/** How many relays an event may crash before it becomes a dead letter. */
final class CrashLimit {
    /**
     * With a batch size of up to 512, a store claims an event alone after three crashes. The fourth and fifth crash
     * then happen while it is sent alone.
     */
    private static final int MIN_CRASHES = 5;

    private CrashLimit() {}

    /**
     * Whether an event becomes a dead letter because its relays crashed while sending it. That requires that the event was sent
     * alone twice, however low its limit of attempts is: before that, another event of the same batch may have caused the crash.
     */
    static boolean reached(int maxAttempts, int crashes) {
        return crashes >= Math.max(maxAttempts, MIN_CRASHES);
    }
}
