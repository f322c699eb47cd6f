package io.waybill.jdbc.layout;

import io.waybill.admin.AuditEntry;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventRecord;
import io.waybill.admin.OutboxStatus;
import io.waybill.admin.OutboxView;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.Transactions;
import io.waybill.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Counts what no relay has taken in yet as pending, too: a table that nobody serves must not look empty. */
public final class LayoutView implements OutboxView {
    /** Rows are taken in within a second when nothing is wrong. */
    private static final Duration LATE = Duration.ofMinutes(1);

    private final Transactions database;
    private final BoundLayout binding;
    private final OutboxView queue;

    public LayoutView(Transactions database, BoundLayout binding, OutboxView queue) {
        this.database = database;
        this.binding = binding;
        this.queue = queue;
    }

    private record Outside(long rows, Duration oldest) {}

    /** Without the count when the table cannot be read: what was taken in before is still to be seen. */
    @Override
    public OutboxStatus status() {
        List<String> warnings = new ArrayList<>();
        Outside outside = outside(warnings);
        OutboxStatus taken = queue.status();
        long owed =
                database.transaction("count what is owed to the served table", c -> PendingWriteBacks.count(Sql.on(c)));
        String table = binding.layout().table();
        if (owed > 0) {
            warnings.add(owed + " finished events are not marked in " + table
                    + " yet, because their rows are locked or may not be changed. The relay tries again every second.");
        }
        if (outside.oldest.compareTo(LATE) > 0 && taken.liveRelays() > 0 && taken.pending() == 0) {
            warnings.add(
                    outside.rows + " rows of " + table
                            + " wait although a relay runs and has nothing else to do. Its log says why it cannot take them in.");
        }
        return new OutboxStatus(
                taken.at(),
                taken.pending() + outside.rows,
                taken.claimed(),
                taken.retrying(),
                taken.parked(),
                taken.blockedKeys(),
                taken.deadLetters(),
                taken.oldestAge().compareTo(outside.oldest) < 0 ? outside.oldest : taken.oldestAge(),
                taken.publishedPerSecond(),
                taken.relays(),
                taken.lanes(),
                List.copyOf(warnings));
    }

    private Outside outside(List<String> warnings) {
        try {
            return database.transaction(
                    "count what waits in " + binding.layout().table(),
                    c -> LayoutImporter.byIndex(c).query(binding.sql(c).outside(), row -> {
                        row.next();
                        return new Outside(
                                row.getLong(1), Duration.ofMillis((long) (Math.max(0, row.getDouble(2)) * 1_000)));
                    }));
        } catch (StoreException e) {
            if (!WriteBack.refused(e)) {
                throw e;
            }
            warnings.add(e.getMessage() + " Rows that wait there are not counted.");
            return new Outside(0, Duration.ZERO);
        }
    }

    @Override
    public List<EventRecord> events(EventFilter filter, int limit) {
        return queue.events(filter, limit);
    }

    @Override
    public Optional<EventRecord> event(UUID id) {
        return queue.event(id);
    }

    @Override
    public List<AuditEntry> history(UUID id) {
        return queue.history(id);
    }
}
