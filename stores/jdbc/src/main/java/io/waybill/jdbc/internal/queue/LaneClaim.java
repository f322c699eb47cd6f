package io.waybill.jdbc.internal.queue;

import io.waybill.jdbc.internal.event.Candidate;
import io.waybill.jdbc.internal.event.Payloads;
import io.waybill.jdbc.internal.lane.ClaimMarks;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.Lease;
import java.sql.SQLException;
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
public final class LaneClaim {
    private final Lease lease;
    private final int limit;
    private final long bytes;
    private boolean mayBeDue;
    private final boolean open;
    private final List<ClaimedEvent> retries = new ArrayList<>();
    private final List<Candidate> first = new ArrayList<>();
    private List<ClaimedEvent> chosen = List.of();
    private long mark;
    private int room;
    private double weight;
    private boolean foundHeld;
    private boolean seen;

    /**
     * @param limit most events to claim
     * @param bytes most bytes of them, exceeded by one event at most
     * @param mayBeDue whether a retry may be due
     * @param open whether a claim of first attempts is recorded
     * @param mark of the transaction that recorded it, for {@link ClaimMarks}
     */
    LaneClaim(Lease lease, int limit, long bytes, boolean mayBeDue, boolean open, long mark) {
        this.lease = lease;
        this.limit = limit;
        this.bytes = bytes;
        this.room = limit;
        this.mayBeDue = mayBeDue;
        this.open = open;
        this.mark = mark;
    }

    Lease lease() {
        return lease;
    }

    public int number() {
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

    public long mark() {
        return mark;
    }

    public void marked(long by) {
        mark = by;
    }

    static double weight(int crashes) {
        return Math.pow(8, Math.min(crashes, 6));
    }

    /** Claims the first of these retries, in half of the bytes: the other half is left for the other events. */
    void retry(Sql sql, List<Candidate> due) throws SQLException {
        retries.addAll(Payloads.fill(sql, due, bytes / 2));
    }

    List<ClaimedEvent> retries() {
        return retries;
    }

    /**
     * Leaves the rest of the batch for first attempts, whatever a look has found already.
     *
     * @param alone nothing of it
     */
    void retriesCameFirst(boolean alone) {
        room = alone || bytesLeft() <= 0 ? 0 : limit - retries.size();
        forget();
    }

    private long bytesLeft() {
        long left = bytes;
        for (ClaimedEvent retry : retries) {
            left -= retry.event().payload().length();
        }
        return left;
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

    void take(Candidate candidate) {
        first.add(candidate);
    }

    /** Decides which of the events that were found are claimed: the first ones, as far as the bytes allow. */
    void choose(Sql sql) throws SQLException {
        chosen = Payloads.fill(sql, first, bytesLeft());
    }

    /** Whether the look has found a first attempt of this key. */
    boolean found(String key) {
        return first.stream().anyMatch(candidate -> candidate.key().equals(key));
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
        return open || !chosen.isEmpty();
    }

    /** The range may cover open events that are parked now; it serves only to count failures when its owner ends. */
    @Nullable
    public Long low() {
        return chosen.isEmpty() ? null : chosen.get(0).position();
    }

    @Nullable
    public Long high() {
        return chosen.isEmpty() ? null : chosen.get(chosen.size() - 1).position();
    }

    public ClaimMarks.Claim claim() {
        List<ClaimedEvent> all = new ArrayList<>(retries);
        all.addAll(chosen);
        all.sort(Comparator.comparingLong(ClaimedEvent::position));
        return new ClaimMarks.Claim(mark, all);
    }
}
