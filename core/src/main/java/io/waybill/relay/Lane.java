package io.waybill.relay;

import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import java.time.Duration;
import java.util.List;

/**
 * A lane that this relay owns, as far as it knows.
 *
 * <p>Shared by three threads: the keeper renews it or asks it to be given up, the poller hands it to a worker with
 * {@link #begin}, the worker returns it with {@link #end}. All state is guarded by the lane itself. Outcomes that a failed
 * transaction left in doubt stay here until the store has reconciled them.
 */
final class Lane {
    private static final long APART_NANOS = 60_000_000_000L;

    private final Lease lease;
    private final Ticker ticker;
    private long freshUntil;
    private boolean busy;
    private boolean surrendered;
    private boolean inDoubt;
    private List<PublishOutcome> unsettled = List.of();
    private Pause pause = Pause.NONE;
    private int troubles;
    private boolean proven;
    private Pause apart = Pause.NONE;

    Lane(Lease lease, long freshUntilNanos, Ticker ticker) {
        this.lease = lease;
        this.ticker = ticker;
        this.freshUntil = freshUntilNanos;
    }

    Lease lease() {
        return lease;
    }

    int number() {
        return lease.lane();
    }

    /** @param sentNanos when the renewal was sent, so that time on the way can only shorten our belief, never the lease */
    synchronized void renewed(long sentNanos, Duration remaining) {
        freshUntil = sentNanos + remaining.toNanos();
    }

    /**
     * Whether the lease certainly still runs, by the monotonic clock. No proof is needed for safety, which the fence
     * gives; but a relay that stops sending here spares the consumers duplicates.
     */
    synchronized boolean fresh() {
        return ticker.nanos() - freshUntil < 0;
    }

    /** Takes the lane for a worker, unless it has one, is to be given up, or waits after trouble. */
    synchronized boolean begin() {
        if (busy || surrendered || !pause.over(ticker.nanos())) {
            return false;
        }
        busy = true;
        return true;
    }

    /** @return whether the lane is to be given up now */
    synchronized boolean end() {
        busy = false;
        return surrendered;
    }

    /** @return whether it is idle and can be given up at once; otherwise its worker will do so */
    synchronized boolean surrender() {
        surrendered = true;
        return !busy;
    }

    synchronized boolean surrendered() {
        return surrendered;
    }

    synchronized boolean idle() {
        return !busy && !surrendered && pause.over(ticker.nanos());
    }

    /**
     * Whether it may be worked together with others. A lane that was just taken is worked alone until it is empty: an event in
     * it may have ended its last relay, and would end this one with what others hold, time and again. After an event has
     * failed a lane stays alone for a while: the next may keep its worker waiting for a part of the broker that is out.
     */
    synchronized boolean sociable() {
        return proven && !inDoubt && apart.over(ticker.nanos());
    }

    /** Was worked alone until it was empty. */
    synchronized void proven() {
        proven = true;
    }

    synchronized void eventFailed() {
        apart = new Pause(ticker.nanos(), APART_NANOS);
    }

    synchronized boolean inDoubt() {
        return inDoubt;
    }

    synchronized List<PublishOutcome> unsettled() {
        return unsettled;
    }

    /** The database failed: nobody knows whether these were settled. Pauses the lane, longer each time in a row. */
    synchronized void doubt(List<PublishOutcome> outcomes) {
        inDoubt = true;
        unsettled = List.copyOf(outcomes);
        long pauseMillis = Math.min(5_000L, 100L << Math.min(troubles++, 6));
        pause = new Pause(ticker.nanos(), pauseMillis * 1_000_000L);
    }

    synchronized void settled() {
        inDoubt = false;
        unsettled = List.of();
        troubles = 0;
    }
}
