package io.waybill.relay;

import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import io.waybill.time.Ticker;
import java.time.Duration;
import java.util.List;

/**
 * A lane that this relay has acquired. It may have lost the lane since.
 *
 * <p>Three threads share a lane: the coordinator renews its lease or requests its release, the poller assigns it to a worker with
 * {@link #begin}, and the worker returns it with {@link #end}. The lane itself guards all state. Outcomes that a failed transaction
 * left in doubt stay here until the store has reconciled them.
 */
final class Lane {
    private static final long SHARING_PAUSE_NANOS = 60_000_000_000L;

    private final Lease lease;
    private final Ticker ticker;
    private long leaseValidUntil;
    private boolean busy;
    private boolean releaseRequested;
    private boolean inDoubt;
    private List<PublishOutcome> unsettled = List.of();
    private Pause pause = Pause.NONE;
    private int failuresInARow;
    private boolean drainedAlone;
    private Pause sharingPause = Pause.NONE;

    Lane(Lease lease, long leaseValidUntilNanos, Ticker ticker) {
        this.lease = lease;
        this.ticker = ticker;
        this.leaseValidUntil = leaseValidUntilNanos;
    }

    Lease lease() {
        return lease;
    }

    int number() {
        return lease.lane();
    }

    /**
     * Extends the time for which the relay relies on the lease.
     *
     * @param sentNanos when the heartbeat was sent. Counting from there, network delay can only shorten that time, so the relay
     *     never relies on the lease for longer than the store grants it
     */
    synchronized void renewed(long sentNanos, Duration remaining) {
        leaseValidUntil = sentNanos + remaining.toNanos();
    }

    /**
     * Whether the lease is certainly valid by the monotonic clock. Safety does not depend on this check, because the fence rejects
     * late writes. But a relay that stops sending here saves consumers from duplicates.
     */
    synchronized boolean leaseValid() {
        return ticker.nanos() - leaseValidUntil < 0;
    }

    /** Assigns the lane to a worker. Returns false if it has a worker, is to be released, or pauses after a database failure. */
    synchronized boolean begin() {
        if (busy || releaseRequested || !pause.over(ticker.nanos())) {
            return false;
        }
        busy = true;
        return true;
    }

    /** @return whether the lane must be released now */
    synchronized boolean end() {
        busy = false;
        return releaseRequested;
    }

    /** @return whether the lane is idle and can be released at once; otherwise its worker releases it */
    synchronized boolean requestRelease() {
        releaseRequested = true;
        return !busy;
    }

    synchronized boolean releaseRequested() {
        return releaseRequested;
    }

    synchronized boolean idle() {
        return !busy && !releaseRequested && pause.over(ticker.nanos());
    }

    /**
     * Whether the events of this lane may share a batch with those of other lanes.
     *
     * <p>A lane that was just acquired runs alone until it is empty: one of its events may have crashed the previous owner. In a
     * shared batch, that event would crash this relay, too, and the events of the other lanes would count the same crash. After
     * an event has failed, the lane runs alone for a while: its next event may block the worker because a part of the broker is
     * down.
     */
    synchronized boolean canShareBatch() {
        return drainedAlone && !inDoubt && sharingPause.over(ticker.nanos());
    }

    /** The lane ran alone until it was empty. */
    synchronized void markDrained() {
        drainedAlone = true;
    }

    synchronized void eventFailed() {
        sharingPause = new Pause(ticker.nanos(), SHARING_PAUSE_NANOS);
    }

    synchronized boolean inDoubt() {
        return inDoubt;
    }

    synchronized List<PublishOutcome> unsettled() {
        return unsettled;
    }

    /**
     * The database failed, so it is unknown whether these outcomes were settled. The lane pauses; the pause doubles with each
     * failure in a row.
     */
    synchronized void markInDoubt(List<PublishOutcome> outcomes) {
        inDoubt = true;
        unsettled = List.copyOf(outcomes);
        long pauseMillis = Math.min(5_000L, 100L << Math.min(failuresInARow++, 6));
        pause = new Pause(ticker.nanos(), pauseMillis * 1_000_000L);
    }

    synchronized void settled() {
        inDoubt = false;
        unsettled = List.of();
        failuresInARow = 0;
    }
}
