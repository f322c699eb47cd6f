package io.waybill.jdbc.layout;

import io.waybill.admin.OutboxPause;
import io.waybill.jdbc.internal.queue.PublishedRow;
import io.waybill.jdbc.internal.queue.QueueStore;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.Transactions;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.OutboxStore;
import io.waybill.store.PublishOutcome;
import io.waybill.store.RelayReport;
import io.waybill.store.RelayRoster;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The queue engine, filled from an existing table. */
public final class LayoutStore implements OutboxStore {
    private static final String DELETE_UNUSED_SOURCES = """
            DELETE FROM outbox_sources s WHERE NOT EXISTS (SELECT 1 FROM outbox_events e WHERE e.id = s.id)""";

    private final Transactions database;
    private final BoundLayout binding;
    private final QueueStore queue;
    private final ImporterThread importer;

    public LayoutStore(Transactions database, BoundLayout binding) {
        WriteBack writeBack = new WriteBack(binding);
        PendingWriteBacks pending = new PendingWriteBacks(writeBack);
        this.database = database;
        this.binding = binding;
        this.queue = new QueueStore(database, PublishedRow.DELETE, new WriteBackSettlement(writeBack, pending));
        this.importer = new ImporterThread(new LayoutImporter(database, binding, writeBack, pending), binding.layout());
    }

    /** Imports new rows first. An import that hangs or fails does not delay events that are already in Waybill's own tables. */
    @Override
    public Set<Integer> ready(Collection<Integer> lanes) {
        importer.importWaiting();
        return queue.ready(lanes);
    }

    @Override
    public RelayRoster heartbeat(RelayReport report, Duration lease) {
        return queue.heartbeat(report, lease);
    }

    @Override
    public Optional<Lease> acquire(String relay, int lane, Duration lease) {
        return queue.acquire(relay, lane, lease);
    }

    @Override
    public void release(Lease lease) {
        queue.release(lease);
    }

    @Override
    public void leave(String relay) {
        queue.leave(relay);
    }

    @Override
    public List<List<ClaimedEvent>> advance(List<LaneRequest> requests) {
        return queue.advance(requests);
    }

    @Override
    public void reconcile(Lease lease, List<PublishOutcome> outcomes) {
        queue.reconcile(lease, outcomes);
    }

    @Override
    public boolean supportsPauses() {
        return queue.supportsPauses();
    }

    @Override
    public List<OutboxPause> pauses() {
        return queue.pauses();
    }

    @Override
    public int wakeHeld(int lane, Collection<String> reasons, int limit) {
        return queue.wakeHeld(lane, reasons, limit);
    }

    @Override
    public int prune(Duration age, int limit) {
        database.transaction("keep pending write-backs", c -> {
            PendingWriteBacks.keep(Sql.on(c), age);
            return age;
        });
        int pruned = queue.prune(age, limit);
        if (pruned > 0) {
            database.transaction(
                    "remove the sources of deleted events", c -> Sql.on(c).update(DELETE_UNUSED_SOURCES));
        }
        return binding.layout().prunes() ? Math.max(pruned, pruneServedTable(age, limit)) : pruned;
    }

    private int pruneServedTable(Duration age, int limit) {
        return database.transaction(
                "remove finished rows of " + binding.layout().table(),
                c -> LayoutImporter.withSettings(c)
                        .query(
                                binding.retention(c).sql(),
                                row -> {
                                    row.next();
                                    return row.getInt(1);
                                },
                                age.toMillis(),
                                limit));
    }
}
