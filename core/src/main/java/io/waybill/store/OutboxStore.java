package io.waybill.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The relay's side of an outbox: lanes with leases, and events in order per key.
 *
 * <p>All times are database time; a relay's own clock decides nothing. Every method is one short transaction. Methods throw
 * {@link StoreException} when the database fails, after which a write may or may not have happened, and
 * {@link FencedException} when the lease was lost, after which nothing was written. Implementations are thread-safe; one
 * lease is used by one thread at a time.
 *
 * <p>The order promise: {@link #advance} never hands out an event while an earlier event of the same key waits for a
 * retry, is parked, or blocks its key as a dead letter. Events of one key come in append order.
 */
public interface OutboxStore {

    /** Records that the relay lives, renews its leases, and tells who else is there. */
    RelayRoster heartbeat(RelayReport report, Duration lease);

    /**
     * Takes the lane if it is free or its lease has expired. Events that the previous owner had claimed and not settled
     * become pending again at once, each with one more failed attempt, because one of them may have ended that owner. No
     * two runs of a relay share a name.
     */
    Optional<Lease> acquire(String relay, int lane, Duration lease);

    /** Gives the lane up, so that another relay can take it at once. No effect when the lease is lost already. */
    void release(Lease lease);

    /** Takes the relay off the roll and gives up all its lanes. */
    void leave(String relay);

    /** Which of these lanes have something to claim now; one cheap query, whatever the number of lanes or rows. */
    Set<Integer> ready(Collection<Integer> lanes);

    /**
     * In one transaction, for each turn: settles the outcomes of the lease's last batch, then claims up to {@code limit}
     * further events, and stops when their payloads reach {@code bytes}. The store holds no more than these, and one event more,
     * in memory. When it returns, the claims are durable: the events it hands out will survive a crash of the database,
     * even if their writers did not wait for that. When it throws, it holds for all turns alike: if one lease was lost,
     * nothing was written for the others either; if the answer got lost, every lane is to be reconciled.
     *
     * <p>An event whose owners ended while they held it is claimed in ever smaller company of its lane, at last alone.
     *
     * @param turns of different lanes, in any order
     * @return what was claimed in each turn, in the order of the turns
     */
    List<List<ClaimedEvent>> advance(List<LaneRequest> turns);

    /** As {@link #advance(List)}, for one lane. */
    default List<ClaimedEvent> advance(Lease lease, List<PublishOutcome> outcomes, int limit) {
        return advance(List.of(new LaneRequest(lease, outcomes, limit))).get(0);
    }

    /**
     * Puts the lane in order after {@link #advance} failed in doubt: settles those outcomes that are not settled yet, and
     * returns everything else that the lease holds to pending.
     */
    void reconcile(Lease lease, List<PublishOutcome> outcomes);

    /**
     * Removes at most {@code limit} events that were published or discarded longer ago than {@code age}, and records of
     * relays long gone.
     *
     * @return how many events were removed; fewer than {@code limit} means there are no more for now
     */
    int prune(Duration age, int limit);
}
