package io.waybill.jdbc;

import io.waybill.operate.AuditEntry;
import io.waybill.operate.EventFilter;
import io.waybill.operate.EventRecord;
import io.waybill.operate.OutboxView;
import io.waybill.operate.Status;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Counts what no relay has taken in yet as pending, too: a table that nobody serves must not look empty. */
final class LayoutView implements OutboxView {
    private final Database database;
    private final LayoutBinding binding;
    private final OutboxView queue;

    LayoutView(Database database, LayoutBinding binding, OutboxView queue) {
        this.database = database;
        this.binding = binding;
        this.queue = queue;
    }

    private record Outside(long rows, Duration oldest) {}

    @Override
    public Status status() {
        Outside outside = database.transaction(
                "count what waits in " + binding.layout().table(),
                c -> Intake.byIndex(c).query(binding.sql(c).outside(), row -> {
                    row.next();
                    return new Outside(
                            row.getLong(1), Duration.ofMillis((long) (Math.max(0, row.getDouble(2)) * 1_000)));
                }));
        Status taken = queue.status();
        return new Status(
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
                taken.lanes());
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
