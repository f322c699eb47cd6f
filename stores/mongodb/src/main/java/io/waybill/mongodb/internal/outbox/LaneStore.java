package io.waybill.mongodb.internal.outbox;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Filters.or;
import static com.mongodb.client.model.Updates.combine;
import static com.mongodb.client.model.Updates.inc;
import static com.mongodb.client.model.Updates.set;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import io.waybill.mongodb.internal.db.Collections;
import io.waybill.mongodb.internal.db.MongoTransactions;
import io.waybill.store.FencedException;
import io.waybill.store.Lease;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.Document;
import org.bson.conversions.Bson;

/**
 * Acquires and releases the leases of lanes.
 *
 * <p>A lane has two documents. Heartbeats write the one in {@code outbox_lanes}, which holds the expiry. Every transaction that works
 * on the events of a lane writes the one in {@code outbox_claims}, which repeats owner and fence. Two such transactions conflict,
 * so a lane never gets a new owner during a transaction of its current owner, and heartbeats never conflict with claims.
 */
public final class LaneStore {
    /** The document in {@code outbox_claims} that every transaction changes that gives lanes to events. */
    public static final String FOREIGN_EVENTS = "foreign events";

    static final String OWNER = "owner";
    static final String FENCE = "fence";
    static final String EXPIRES_AT = "expires_at";
    private static final String ID = "_id";
    private static final String CHANGES = "changes";

    private final MongoTransactions database;
    private final MongoCollection<Document> lanes;
    private final MongoCollection<Document> claims;

    /** Releases the events that the last owner of a lane had claimed, in the transaction that takes the lane over. */
    @FunctionalInterface
    public interface Recovery {
        void recover(ClientSession session, int lane);
    }

    public LaneStore(MongoTransactions database) {
        this.database = database;
        this.lanes = database.collection(Collections.LANES);
        this.claims = database.collection(Collections.CLAIMS);
    }

    /** Returns empty if another relay owns the lane, or another transaction works on it. */
    public Optional<Lease> acquire(String relay, int lane, Duration length, Recovery recovery) {
        Instant now = database.now();
        return database.unlessConflict("acquire lane " + lane, session -> {
            lock(session, List.of(lane));
            Document current = lanes.find(session, eq(ID, lane)).first();
            if (current == null || !isFree(current, now)) {
                return Optional.empty();
            }
            Lease lease = new Lease(lane, relay, current.getLong(FENCE) + 1);
            Bson owner = combine(set(OWNER, relay), set(FENCE, lease.fence()));
            lanes.updateOne(session, eq(ID, lane), combine(owner, set(EXPIRES_AT, Date.from(now.plus(length)))));
            claims.updateOne(session, eq(ID, lane), owner);
            recovery.recover(session, lane);
            return Optional.of(lease);
        });
    }

    private static boolean isFree(Document lane, Instant now) {
        Instant expiry = EventDocuments.time(lane, EXPIRES_AT);
        return lane.get(OWNER) == null || expiry == null || !expiry.isAfter(now);
    }

    /** Makes other transactions on these lanes conflict with this one. */
    public void lock(ClientSession session, Collection<Integer> numbers) {
        claims.updateMany(session, in(ID, numbers), inc(CHANGES, 1L));
    }

    /** Like {@link #lock}, for the owner of the leases. */
    void verify(ClientSession session, List<Lease> leases) {
        List<Bson> owned = leases.stream().map(LaneStore::isOwned).toList();
        if (claims.updateMany(session, or(owned), inc(CHANGES, 1L)).getMatchedCount() == leases.size()) {
            return;
        }
        Set<Integer> found = new HashSet<>();
        claims.find(session, or(owned)).forEach(document -> found.add(document.getInteger(ID)));
        for (Lease lease : leases) {
            if (!found.contains(lease.lane())) {
                throw new FencedException(lease);
            }
        }
    }

    private static Bson isOwned(Lease lease) {
        return and(eq(ID, lease.lane()), eq(OWNER, lease.relay()), eq(FENCE, lease.fence()));
    }

    public void release(Lease lease) {
        Date now = Date.from(database.now());
        database.run("release " + lease, session -> {
            release(session, lease, now);
            return lease;
        });
    }

    private void release(ClientSession session, Lease lease, Date now) {
        if (claims.updateOne(session, isOwned(lease), set(OWNER, null)).getMatchedCount() == 1) {
            lanes.updateOne(session, isOwned(lease), combine(set(OWNER, null), set(EXPIRES_AT, now)));
        }
    }

    /** Releases all lanes of the relay and removes it from the roster. */
    public void leave(String relay) {
        Date now = Date.from(database.now());
        database.run("remove relay " + relay + " from the roster", session -> {
            List<Lease> leases = new ArrayList<>();
            claims.find(session, eq(OWNER, relay))
                    .forEach(lane -> leases.add(new Lease(lane.getInteger(ID), relay, lane.getLong(FENCE))));
            leases.forEach(lease -> release(session, lease, now));
            return database.collection(Collections.RELAYS).deleteOne(session, eq(ID, relay));
        });
    }
}
