package io.waybill.jdbc;

import io.waybill.store.Claimed;
import io.waybill.store.Lease;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One lane's part of a transaction on the queue: what was found under its fence, and what is claimed in it.
 *
 * <p>Each event weighs 8 to the power of the relays that ended while holding it, and a batch weighs no more than its limit,
 * unless it is that one event. So an event that kills its relays soon travels alone, and only itself reaches the limit.
 */
final class QueueLane {
    private final Lease lease;
    private final int limit;
    private boolean mayBeDue;
    private final boolean open;
    private final List<Claimed> retries = new ArrayList<>();
    private final List<Claimed> first = new ArrayList<>();
    private long mark;
    private int room;
    private double weight;
    private boolean foundHeld;
    private boolean seen;

    /**
     * @param limit most events to claim
     * @param mayBeDue whether a retry may be due
     * @param open whether a claim of first attempts is recorded
     * @param mark of the transaction that recorded it, for {@link ClaimMarks}
     */
    QueueLane(Lease lease, int limit, boolean mayBeDue, boolean open, long mark) {
        this.lease = lease;
        this.limit = limit;
        this.room = limit;
        this.mayBeDue = mayBeDue;
        this.open = open;
        this.mark = mark;
    }

    Lease lease() {
        return lease;
    }

    int number() {
        return lease.lane();
    }

    /** Most retries to claim: half of the batch is left for the rest. */
    int mostRetries() {
        return Math.max(1, limit / 2);
    }

    void retryMayBeDue() {
        mayBeDue = true;
    }

    /** Whether a retry may be due, and be claimed. */
    boolean mayRetry() {
        return mayBeDue && limit > 0;
    }

    long mark() {
        return mark;
    }

    void marked(long by) {
        mark = by;
    }

    static double weight(int crashes) {
        return Math.pow(8, Math.min(crashes, 6));
    }

    void retry(Claimed claimed) {
        retries.add(claimed);
    }

    List<Claimed> retries() {
        return retries;
    }

    /**
     * Leaves the rest of the batch for first attempts, whatever a look has found already.
     *
     * @param alone nothing of it
     */
    void retriesCameFirst(boolean alone) {
        room = alone ? 0 : limit - retries.size();
        forget();
    }

    /** What a look has found does not count. */
    void forget() {
        first.clear();
        seen = false;
    }

    /** A look at the waiting events begins. */
    void look() {
        weight = 0;
        foundHeld = false;
        seen = false;
    }

    /** @return whether there is room for one that so many relays have ended with; if not, nothing later may pass it */
    boolean takes(int crashes) {
        weight += weight(crashes);
        return weight <= room || first.isEmpty();
    }

    boolean full() {
        return weight > room && !first.isEmpty();
    }

    void take(Claimed claimed) {
        first.add(claimed);
    }

    void foundHeld() {
        foundHeld = true;
    }

    /** The look has come to this lane. */
    void seen() {
        seen = true;
    }

    /** Whether no look has come to it, for other lanes had too much; or all that was found is parked, and more may wait behind. */
    boolean mustLook() {
        return room > 0 && (!seen || (foundHeld && first.isEmpty()));
    }

    /** Whether the record of the open claim has to change. */
    boolean changes() {
        return open || !first.isEmpty();
    }

    /** The range may cover open events that are parked now; it serves only to count failures when its owner ends. */
    @Nullable
    Long low() {
        return first.isEmpty() ? null : first.get(0).position();
    }

    @Nullable
    Long high() {
        return first.isEmpty() ? null : first.get(first.size() - 1).position();
    }

    ClaimMarks.Claim claim() {
        List<Claimed> all = new ArrayList<>(retries);
        all.addAll(first);
        all.sort(Comparator.comparingLong(Claimed::position));
        return new ClaimMarks.Claim(mark, all);
    }
}
