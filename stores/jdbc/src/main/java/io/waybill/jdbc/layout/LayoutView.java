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

/**
 * The view of a served table. Rows that no relay has imported yet count as pending, so that a table without a running relay does
 * not look empty.
 */
public final class LayoutView implements OutboxView {
    /** Normally, rows are imported within a second. */
    private static final Duration IMPORT_OVERDUE = Duration.ofMinutes(1);

    private final Transactions database;
    private final BoundLayout binding;
    private final OutboxView queue;

    public LayoutView(Transactions database, BoundLayout binding, OutboxView queue) {
        this.database = database;
        this.binding = binding;
        this.queue = queue;
    }

    private record NotImported(long rows, Duration oldest) {}

    /** If the served table cannot be read, the status covers only imported events and has a warning. */
    @Override
    public OutboxStatus status() {
        List<String> warnings = new ArrayList<>();
        NotImported notImported = notImported(warnings);
        OutboxStatus imported = queue.status();
        long unmarked = database.transaction("count pending write-backs", c -> PendingWriteBacks.count(Sql.on(c)));
        String table = binding.layout().table();
        if (unmarked > 0) {
            warnings.add(
                    unmarked + " finished events are not marked in " + table
                            + " yet, because their rows are locked or the relay may not change them. The relay retries every second.");
        }
        if (notImported.oldest.compareTo(IMPORT_OVERDUE) > 0 && imported.liveRelays() > 0 && imported.pending() == 0) {
            warnings.add(notImported.rows + " rows of " + table
                    + " wait although a relay is running and idle. See its log for why it cannot import them.");
        }
        return new OutboxStatus(
                imported.at(),
                imported.pending() + notImported.rows,
                imported.claimed(),
                imported.retrying(),
                imported.parked(),
                imported.blockedKeys(),
                imported.deadLetters(),
                imported.oldestAge().compareTo(notImported.oldest) < 0 ? notImported.oldest : imported.oldestAge(),
                imported.publishedPerSecond(),
                imported.relays(),
                imported.lanes(),
                List.copyOf(warnings));
    }

    private NotImported notImported(List<String> warnings) {
        try {
            return database.transaction(
                    "count the waiting rows of " + binding.layout().table(),
                    c -> LayoutImporter.withSettings(c).query(binding.sql(c).countNotImported(), row -> {
                        row.next();
                        return new NotImported(
                                row.getLong(1), Duration.ofMillis((long) (Math.max(0, row.getDouble(2)) * 1_000)));
                    }));
        } catch (StoreException e) {
            if (!WriteBack.refused(e)) {
                throw e;
            }
            warnings.add(e.getMessage() + " Its waiting rows are not counted.");
            return new NotImported(0, Duration.ZERO);
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
