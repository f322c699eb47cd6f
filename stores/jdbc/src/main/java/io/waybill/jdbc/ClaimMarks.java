package io.waybill.jdbc;

import io.waybill.store.Claimed;
import io.waybill.store.Lease;
import io.waybill.store.Outcome;
import io.waybill.store.StoreException;
import io.waybill.store.Turn;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which transaction recorded the open claim of each lease, as this store was told when it was committed.
 *
 * <p>A database can lose a claim that it has confirmed: an asynchronous standby is promoted that has not heard of it, or a disk
 * is set back. The lease may be valid there all the same, the last claim that the database knows be another one, and the
 * sequence numbers of the lost one be given to other events by now. To settle the lost claim would finish events that nobody
 * has sent. So claims are settled only while the row that records them is the one which their transaction wrote. A number
 * that is given out twice, before the loss and after it, does no harm: nobody else writes the row under the same fence.
 */
final class ClaimMarks {
    /** One for each lane of a relay: the next lease takes the place of one that was lost. */
    private final Map<Place, Entry> claims = new ConcurrentHashMap<>();

    /** How long leases are, as the last heartbeat said. */
    private volatile Duration lease = Duration.ofSeconds(10);

    Duration lease() {
        return lease;
    }

    void lease(Duration length) {
        lease = length;
    }

    private record Place(String relay, int lane) {
        static Place of(Lease lease) {
            return new Place(lease.relay(), lease.lane());
        }
    }

    /** @param firstAttempts the ids of the claimed events, without their payloads: an idle lane holds no memory */
    private record Entry(Lease lease, long mark, List<UUID> firstAttempts) {}

    /**
     * What one transaction claimed.
     *
     * @param mark its number, as it stands in the row that records the claim
     */
    record Claim(long mark, List<Claimed> events) {}

    /** Settles and claims for lanes in their order, as everyone locks them. */
    @FunctionalInterface
    interface Advance {
        Map<Lease, Claim> on(Connection connection, List<Turn> turns) throws SQLException;
    }

    /** Runs the transaction and remembers its claims when it is known to be committed, not before. */
    List<List<Claimed>> advance(Database database, List<Turn> turns, Advance work) {
        List<Turn> active = turns.stream()
                .filter(turn -> !turn.idle())
                .sorted(Comparator.comparingInt(turn -> turn.lease().lane()))
                .toList();
        Map<Lease, Claim> advanced = active.isEmpty()
                ? Map.of()
                : database.claiming(
                        () -> "settle and claim in "
                                + active.stream().map(Turn::lease).toList(),
                        lease,
                        c -> work.on(c, active));
        advanced.forEach((lease, claim) ->
                claims.put(Place.of(lease), new Entry(lease, claim.mark, firstAttempts(claim.events.stream()))));
        List<List<Claimed>> events = new ArrayList<>(turns.size());
        for (Turn turn : turns) {
            Claim claim = advanced.get(turn.lease());
            events.add(claim == null ? List.of() : claim.events);
        }
        return events;
    }

    /** Refuses to settle first attempts of a claim that the row, found with this mark, does not record. */
    void require(Lease lease, long found, List<Outcome> outcomes) {
        Entry last = last(lease);
        boolean known = last != null && last.mark == found;
        if (!known && outcomes.stream().anyMatch(outcome -> !outcome.claimed().retried())) {
            throw new StoreException(
                    "The database does not know the last claim of " + lease + ": it was failed over or set back, or its"
                            + " last answer got lost. Nothing was recorded; the lane is put in order first.",
                    null);
        }
    }

    /** Whether the row, found with this mark, records the claim that these are the outcomes of: all or none are settled. */
    boolean open(Lease lease, long found, List<Outcome> outcomes) {
        Entry last = last(lease);
        return last != null
                && last.mark == found
                && Set.copyOf(last.firstAttempts)
                        .equals(Set.copyOf(firstAttempts(outcomes.stream().map(Outcome::claimed))));
    }

    /** Retries have rows of their own, which say whether they are claimed. */
    private static List<UUID> firstAttempts(Stream<Claimed> claimed) {
        return claimed.filter(one -> !one.retried())
                .map(one -> one.event().id())
                .toList();
    }

    private @Nullable Entry last(Lease lease) {
        Entry entry = claims.get(Place.of(lease));
        return entry != null && entry.lease.equals(lease) ? entry : null;
    }

    void forget(Lease lease) {
        claims.computeIfPresent(Place.of(lease), (place, entry) -> entry.lease.equals(lease) ? null : entry);
    }

    void forget(String relay) {
        claims.keySet().removeIf(place -> place.relay.equals(relay));
    }
}
