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
 * Remembers the mark of the open claim of each lease: a number that identifies the transaction that recorded the claim.
 *
 * <p>A database can lose a claim that it has confirmed, when an asynchronous standby is promoted before it has received the claim, or
 * when a disk is restored. The lease may still be valid there, the last recorded claim may be an earlier one, and the sequence
 * numbers of the lost claim may belong to other events by now. Settling the lost claim would then finish events that were never
 * sent. Therefore a claim is settled only if the row that records it still has the mark of its transaction. It is harmless if the
 * same mark is assigned before and after the loss, because only the owner of the fence writes the row.
 */
public final class ClaimMarks {
    /** One entry for each lane of a relay. The entry of a new lease replaces that of a lost one. */
    private final Map<RelayLane, Entry> claims = new ConcurrentHashMap<>();

    /** The length of the leases, from the last heartbeat. */
    private volatile Duration lease = Duration.ofSeconds(10);

    public Duration lease() {
        return lease;
    }

    public void lease(Duration length) {
        lease = length;
    }

    private record RelayLane(String relay, int lane) {
        static RelayLane of(Lease lease) {
            return new RelayLane(lease.relay(), lease.lane());
        }
    }

    /** @param firstAttempts the ids of the claimed events, without payloads, so that an idle lane uses little memory */
    private record Entry(Lease lease, long mark, List<UUID> firstAttempts) {}

    /**
     * The claim of one lane in one transaction.
     *
     * @param mark the mark in the row that records the claim
     */
    public record Claim(long mark, List<ClaimedEvent> events) {}

    /** Settles and claims for lanes. The requests are in ascending order of lanes, the order in which all transactions lock them. */
    @FunctionalInterface
    public interface Advance {
        Map<Lease, Claim> on(Connection connection, List<LaneRequest> requests) throws SQLException;
    }

    /** Runs the transaction, and remembers its claims after the commit is confirmed. */
    public List<List<ClaimedEvent>> advance(Transactions database, List<LaneRequest> requests, Advance work) {
        List<LaneRequest> active = requests.stream()
                .filter(request -> !request.idle())
                .sorted(Comparator.comparingInt(request -> request.lease().lane()))
                .toList();
        Map<Lease, Claim> advanced = active.isEmpty()
                ? Map.of()
                : database.claimTransaction(
                        () -> "settle and claim in "
                                + active.stream().map(LaneRequest::lease).toList(),
                        lease,
                        c -> work.on(c, active));
        advanced.forEach((lease, claim) ->
                claims.put(RelayLane.of(lease), new Entry(lease, claim.mark, firstAttempts(claim.events.stream()))));
        List<List<ClaimedEvent>> events = new ArrayList<>(requests.size());
        for (LaneRequest request : requests) {
            Claim claim = advanced.get(request.lease());
            events.add(claim == null ? List.of() : claim.events);
        }
        return events;
    }

    /** Throws if outcomes include first attempts and the recorded claim, which has this mark, is not the last claim of the lease. */
    public void require(Lease lease, long recordedMark, List<PublishOutcome> outcomes) {
        Entry last = last(lease);
        boolean known = last != null && last.mark == recordedMark;
        if (!known && outcomes.stream().anyMatch(outcome -> !outcome.claimed().retried())) {
            throw new StoreException(
                    "The last claim of " + lease + " is not recorded in the database: the database was failed"
                            + " over or restored, or its last answer was lost. The transaction is rolled back,"
                            + " and the lane is reconciled next.",
                    null);
        }
    }

    /**
     * Whether the recorded claim, which has this mark, is the claim of these outcomes. If so, none of its first attempts is settled; if
     * not, all of them are.
     */
    public boolean isOpen(Lease lease, long recordedMark, List<PublishOutcome> outcomes) {
        Entry last = last(lease);
        return last != null
                && last.mark == recordedMark
                && Set.copyOf(last.firstAttempts)
                        .equals(Set.copyOf(firstAttempts(outcomes.stream().map(PublishOutcome::claimed))));
    }

    /** Returns the ids of the first attempts. The row of a retry records by itself whether the retry is claimed. */
    private static List<UUID> firstAttempts(Stream<ClaimedEvent> claims) {
        return claims.filter(claimed -> !claimed.retried())
                .map(claimed -> claimed.event().id())
                .toList();
    }

    private @Nullable Entry last(Lease lease) {
        Entry entry = claims.get(RelayLane.of(lease));
        return entry != null && entry.lease.equals(lease) ? entry : null;
    }

    public void forget(Lease lease) {
        claims.computeIfPresent(RelayLane.of(lease), (lane, entry) -> entry.lease.equals(lease) ? null : entry);
    }

    public void forget(String relay) {
        claims.keySet().removeIf(lane -> lane.relay.equals(relay));
    }
}
