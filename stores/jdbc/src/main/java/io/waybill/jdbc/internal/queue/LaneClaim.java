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
 * The claim of one lane in a transaction of the queue engine.
 *
 * <p>The weight of an event is 8 to the power of the number of relays that crashed while they held it. The events of a batch weigh
 * no more than its limit, unless the batch is a single event. An event that crashes its relays is therefore soon sent alone, and
 * only this event reaches the limit of attempts.
 */
public final class LaneClaim {
    private final Lease lease;
    private final int limit;
    private final long bytes;
    private boolean retryMayBeDue;
    private final boolean open;
    private final List<ClaimedEvent> retries = new ArrayList<>();
    private final List<Candidate> found = new ArrayList<>();
    private List<ClaimedEvent> chosen = List.of();
    private long mark;
    private int maxFirstAttempts;
    private double weight;
    private boolean foundHeldKey;
    private boolean scanned;

    /**
     * @param limit the largest number of events to claim
     * @param bytes the largest number of bytes to claim; exceeded by one event at most
     * @param retryMayBeDue whether a retry may be due
     * @param open whether a claim of first attempts is recorded
     * @param mark the mark of the recorded claim, see {@link ClaimMarks}
     */
    LaneClaim(Lease lease, int limit, long bytes, boolean retryMayBeDue, boolean open, long mark) {
        this.lease = lease;
        this.limit = limit;
        this.bytes = bytes;
        this.maxFirstAttempts = limit;
        this.retryMayBeDue = retryMayBeDue;
        this.open = open;
        this.mark = mark;
    }

    Lease lease() {
        return lease;
    }

    public int number() {
        return lease.lane();
    }

    /** The largest number of retries to claim. Half of the batch is left for first attempts. */
    int maxRetries() {
        return Math.max(1, limit / 2);
    }

    void retryMayBeDue() {
        retryMayBeDue = true;
    }

    /** Whether a retry may be due and the lane may claim it. */
    boolean mayRetry() {
        return retryMayBeDue && limit > 0;
    }

    public long mark() {
        return mark;
    }

    public void setMark(long newMark) {
        mark = newMark;
    }

    static double weight(int crashes) {
        return Math.pow(8, Math.min(crashes, 6));
    }

    /** Claims the first of these retries, up to half of the bytes. The other half is left for first attempts. */
    void retry(Sql sql, List<Candidate> due) throws SQLException {
        retries.addAll(Payloads.fill(sql, due, bytes / 2));
    }

    List<ClaimedEvent> retries() {
        return retries;
    }

    /**
     * Limits first attempts to the part of the batch that the retries have left, and discards the last scan, which used
     * another limit.
     *
     * @param none whether to claim no first attempts at all
     */
    void limitFirstAttempts(boolean none) {
        maxFirstAttempts = none || bytesLeft() <= 0 ? 0 : limit - retries.size();
        discardScan();
    }

    private long bytesLeft() {
        long left = bytes;
        for (ClaimedEvent retry : retries) {
            left -= retry.event().payload().length();
        }
        return left;
    }

    /** Discards the events that a scan has found. */
    void discardScan() {
        found.clear();
        scanned = false;
    }

    void beginScan() {
        weight = 0;
        foundHeldKey = false;
        scanned = false;
    }

    /**
     * Whether the batch has capacity for an event with this number of crashes. If not, no later event may be added, because it would
     * overtake this one.
     */
    boolean fits(int crashes) {
        weight += weight(crashes);
        return weight <= maxFirstAttempts || found.isEmpty();
    }

    boolean isFull() {
        return weight > maxFirstAttempts && !found.isEmpty();
    }

    void add(Candidate candidate) {
        found.add(candidate);
    }

    /** Chooses the events to claim: the first ones that were found, up to the number of bytes. */
    void choose(Sql sql) throws SQLException {
        chosen = Payloads.fill(sql, found, bytesLeft());
    }

    /** Whether the scan has found a first attempt of this key. */
    boolean found(String key) {
        return found.stream().anyMatch(candidate -> candidate.key().equals(key));
    }

    void foundHeldKey() {
        foundHeldKey = true;
    }

    /** Records that the scan has reached this lane. */
    void scanned() {
        scanned = true;
    }

    /**
     * Whether another scan may find pending events of the lane: either events of other lanes filled the last scan before it
     * reached this lane, or all events that it found must be parked.
     */
    boolean needsScan() {
        return maxFirstAttempts > 0 && (!scanned || (foundHeldKey && found.isEmpty()));
    }

    /** Whether the recorded claim of the lane must change. */
    boolean isChanged() {
        return open || !chosen.isEmpty();
    }

    /**
     * The lowest claimed sequence number; null if no first attempt is claimed. The range may include open events that are parked now.
     * It is used only to count failed attempts after a crash of the owner.
     */
    @Nullable
    public Long low() {
        return chosen.isEmpty() ? null : chosen.get(0).position();
    }

    /** The highest claimed sequence number; null if no first attempt is claimed. */
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
