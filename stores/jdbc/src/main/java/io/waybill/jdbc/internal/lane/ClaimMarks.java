package io.waybill.jdbc.internal.lane;

import io.waybill.jdbc.internal.sql.Transactions;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import io.waybill.store.StoreException;
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
public final class ClaimMarks {
    /** One for each lane of a relay: the next lease takes the place of one that was lost. */
    private final Map<Place, Entry> claims = new ConcurrentHashMap<>();

    /** How long leases are, as the last heartbeat said. */
    private volatile Duration lease = Duration.ofSeconds(10);

    public Duration lease() {
        return lease;
    }

    public void lease(Duration length) {
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
    public record Claim(long mark, List<ClaimedEvent> events) {}

    /** Settles and claims for lanes in their order, as everyone locks them. */
    @FunctionalInterface
    public interface Advance {
        Map<Lease, Claim> on(Connection connection, List<LaneRequest> turns) throws SQLException;
    }

    /** Runs the transaction and remembers its claims when it is known to be committed, not before. */
    public List<List<ClaimedEvent>> advance(Transactions database, List<LaneRequest> turns, Advance work) {
        List<LaneRequest> active = turns.stream()
                .filter(turn -> !turn.idle())
                .sorted(Comparator.comparingInt(turn -> turn.lease().lane()))
                .toList();
        Map<Lease, Claim> advanced = active.isEmpty()
                ? Map.of()
                : database.claiming(
                        () -> "settle and claim in "
                                + active.stream().map(LaneRequest::lease).toList(),
                        lease,
                        c -> work.on(c, active));
        advanced.forEach((lease, claim) ->
                claims.put(Place.of(lease), new Entry(lease, claim.mark, firstAttempts(claim.events.stream()))));
        List<List<ClaimedEvent>> events = new ArrayList<>(turns.size());
        for (LaneRequest turn : turns) {
            Claim claim = advanced.get(turn.lease());
            events.add(claim == null ? List.of() : claim.events);
        }
        return events;
    }

    /** Refuses to settle first attempts of a claim that the row, found with this mark, does not record. */
    public void require(Lease lease, long found, List<PublishOutcome> outcomes) {
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
    public boolean open(Lease lease, long found, List<PublishOutcome> outcomes) {
        Entry last = last(lease);
        return last != null
                && last.mark == found
                && Set.copyOf(last.firstAttempts)
                        .equals(Set.copyOf(firstAttempts(outcomes.stream().map(PublishOutcome::claimed))));
    }

    /** Retries have rows of their own, which say whether they are claimed. */
    private static List<UUID> firstAttempts(Stream<ClaimedEvent> claimed) {
        return claimed.filter(one -> !one.retried())
                .map(one -> one.event().id())
                .toList();
    }

    private @Nullable Entry last(Lease lease) {
        Entry entry = claims.get(Place.of(lease));
        return entry != null && entry.lease.equals(lease) ? entry : null;
    }

    public void forget(Lease lease) {
        claims.computeIfPresent(Place.of(lease), (place, entry) -> entry.lease.equals(lease) ? null : entry);
    }

    public void forget(String relay) {
        claims.keySet().removeIf(place -> place.relay.equals(relay));
    }
}
