package io.waybill.store;

import io.waybill.admin.OutboxPause;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The store from which a relay reads events: lanes with leases, and events in order per key.
 *
 * <p>All times are database time; the clock of a relay decides nothing. Every method is one short transaction. Methods throw {@link
 * StoreException} if the database fails, after which a write may or may not have happened. They throw {@link FencedException} if the
 * lease was lost; in that case nothing was written. Implementations are thread-safe; a lease is used by one thread at a time.
 *
 * <p>Ordering guarantee: {@link #advance} never returns an event while an earlier event of the same key waits for a retry, is parked,
 * or blocks its key as a dead letter. Events of one key are returned in append order.
 */
public interface OutboxStore {

    /** Records that the relay is alive, renews its leases, and returns all live relays and the owners of all lanes. */
    RelayRoster heartbeat(RelayReport report, Duration lease);

    /**
     * Acquires the lane if it is free or its lease has expired. Events that the previous owner had claimed and not settled become
     * pending again at once. Each of them gets one more failed attempt, because one of them may have crashed the previous owner.
     *
     * @param relay a name that no other run of a relay has used
     */
    Optional<Lease> acquire(String relay, int lane, Duration lease);

    /** Releases the lane, so that another relay can acquire it at once. No-op if the lease is already lost. */
    void release(Lease lease);

    /** Removes the relay from the roster and releases all its lanes. */
    void leave(String relay);

    /** Returns the lanes that have events to claim now. One cheap query, independent of the number of lanes and rows. */
    Set<Integer> ready(Collection<Integer> lanes);

    /**
     * For each request, in one transaction for all of them: settles the outcomes of the last batch of the lease, then claims up
     * to {@code limit} further events, and stops when their payloads reach {@code bytes}. The store holds at most one event more
     * than that in memory. When the method returns, the claims are durable, and the returned events survive a crash of the
     * database even if their writers committed asynchronously. An exception applies to all requests: if one lease was lost,
     * nothing was written for any lease; if the response was lost, every lane must be reconciled.
     *
     * <p>Each time a relay crashes after it has claimed an event, the next claim of that event contains fewer other events of its
     * lane, and in the end none.
     *
     * @param requests for different lanes, in any order
     * @return the claimed events of each request, in the order of the requests
     */
    List<List<ClaimedEvent>> advance(List<LaneRequest> requests);

    /** Like {@link #advance(List)}, for one lane. */
    default List<ClaimedEvent> advance(Lease lease, List<PublishOutcome> outcomes, int limit) {
        return advance(List.of(new LaneRequest(lease, outcomes, limit))).get(0);
    }

    /**
     * Resolves a lane after {@link #advance} failed with an unknown result: settles the outcomes that are not settled yet, and makes
     * all other claimed events of the lease pending again.
     */
    void reconcile(Lease lease, List<PublishOutcome> outcomes);

    /** Whether operators can pause events in this store. If not, a relay does not call the next two methods. */
    default boolean supportsPauses() {
        return false;
    }

    /** Returns the pauses that have not ended. One cheap query; a relay executes it about twice a second. */
    default List<OutboxPause> pauses() {
        return List.of();
    }

    /**
     * Makes at most {@code limit} events of a lane due now that a pause has held ({@link OutboxPause#HELD}), except those that are held for
     * one of these reasons.
     *
     * @param reasons the {@linkplain OutboxPause#heldReason reasons} of the pauses that have not ended
     * @return the number of events that became due; fewer than {@code limit} means that there are no more
     */
    default int wakeHeld(int lane, Collection<String> reasons, int limit) {
        return 0;
    }

    /**
     * Removes at most {@code limit} events that were published or discarded longer ago than {@code age}, and records of relays that
     * ended long ago.
     *
     * @return the number of removed events; fewer than {@code limit} means that no more are due now
     */
    int prune(Duration age, int limit);
}
