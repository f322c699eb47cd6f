package io.waybill.mongodb;

import static java.util.Objects.requireNonNull;

import com.mongodb.client.MongoClient;
import io.waybill.admin.DeadLetters;
import io.waybill.admin.OutboxView;
import io.waybill.mongodb.internal.db.AuditLog;
import io.waybill.mongodb.internal.db.Collections;
import io.waybill.mongodb.internal.db.MongoTransactions;
import io.waybill.mongodb.internal.outbox.Arrivals;
import io.waybill.mongodb.internal.outbox.Claims;
import io.waybill.mongodb.internal.outbox.LaneStore;
import io.waybill.mongodb.internal.outbox.MongoDeadLetters;
import io.waybill.mongodb.internal.outbox.MongoView;
import io.waybill.mongodb.internal.outbox.Retention;
import io.waybill.relay.RelayBuilder;
import io.waybill.retry.RetryPolicy;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.OutboxStore;
import io.waybill.store.PublishOutcome;
import io.waybill.store.RelayReport;
import io.waybill.store.RelayRoster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The outbox on MongoDB 5.0 or newer, which must run as a replica set or a sharded cluster, because Waybill needs transactions. {@link
 * OutboxSchema} creates its collections.
 *
 * <p>A claim is durable on a majority of the replica set before {@link #advance} returns it, whatever the settings of the client are.
 */
public final class MongoOutboxStore implements OutboxStore {
    private static final RetryPolicy FIVE_RETRIES = new RetryPolicy(6, Duration.ofSeconds(1), Duration.ofMinutes(1));

    private final LaneStore lanes;
    private final Claims claims;
    private final Arrivals arrivals;
    private final Retention retention;
    private final MongoView view;
    private final MongoDeadLetters deadLetters;

    /** The length of the leases, from the last heartbeat. */
    private volatile Duration lease = RelayBuilder.DEFAULT_LEASE;

    private MongoOutboxStore(MongoTransactions database) {
        AuditLog audit = new AuditLog(database, Collections.AUDIT);
        this.lanes = new LaneStore(database);
        this.claims = new Claims(database, lanes);
        this.arrivals = new Arrivals(database);
        this.retention = new Retention(database, lanes);
        this.view = new MongoView(database, audit);
        this.deadLetters = new MongoDeadLetters(database, view, lanes, audit);
    }

    /** @param database the name of the database that holds the outbox */
    public static MongoOutboxStore on(MongoClient client, String database) {
        return new MongoOutboxStore(
                new MongoTransactions(requireNonNull(client, "client"), requireNonNull(database, "database")));
    }

    /**
     * Sets leases of 60 seconds, pauses of an idle relay of up to 10 seconds, and five retries. These are the settings of the design
     * that the collection follows. The defaults of a relay react faster.
     */
    public static RelayBuilder patient(RelayBuilder relay) {
        return relay.lease(Duration.ofSeconds(60))
                .idleLimit(Duration.ofSeconds(10))
                .retry(FIVE_RETRIES);
    }

    public OutboxView view() {
        return view;
    }

    public DeadLetters deadLetters() {
        return deadLetters;
    }

    @Override
    public RelayRoster heartbeat(RelayReport report, Duration length) {
        lease = length;
        return arrivals.heartbeat(report, length);
    }

    @Override
    public Optional<Lease> acquire(String relay, int lane, Duration length) {
        return lanes.acquire(relay, lane, length, claims::recover);
    }

    @Override
    public void release(Lease released) {
        lanes.release(released);
    }

    @Override
    public void leave(String relay) {
        lanes.leave(relay);
    }

    @Override
    public Set<Integer> ready(Collection<Integer> numbers) {
        return arrivals.ready(numbers);
    }

    @Override
    public List<List<ClaimedEvent>> advance(List<LaneRequest> requests) {
        List<LaneRequest> active = requests.stream()
                .filter(request -> !request.idle())
                .sorted(Comparator.comparingInt(request -> request.lease().lane()))
                .toList();
        Map<Lease, List<ClaimedEvent>> claimed = active.isEmpty() ? Map.of() : claims.advance(active, lease);
        List<List<ClaimedEvent>> events = new ArrayList<>(requests.size());
        requests.forEach(request -> events.add(claimed.getOrDefault(request.lease(), List.of())));
        return events;
    }

    @Override
    public void reconcile(Lease unclear, List<PublishOutcome> outcomes) {
        claims.reconcile(new LaneRequest(unclear, outcomes, 0));
    }

    @Override
    public int prune(Duration age, int limit) {
        return retention.prune(age, limit);
    }
}
