package io.waybill.server.cli;

import io.waybill.operate.EventRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Events as a table, or as JSON lines. */
final class EventList {
    private EventList() {}

    static void print(List<EventRecord> events, boolean json, Output output) {
        if (json) {
            events.forEach(event -> output.json(Json.event(event)));
            return;
        }
        if (events.isEmpty()) {
            output.note("No events match.");
            return;
        }
        Table table = new Table("ID", "STATE", "TYPE", "KEY", "AGE", "FAILED", "LAST ERROR");
        for (EventRecord entry : events) {
            table.row(
                    entry.event().id().toString(),
                    entry.state().name(),
                    Safe.cut(entry.event().type(), 40),
                    Safe.cut(entry.event().key(), 40),
                    StatusCommand.age(age(entry.createdAt())),
                    Integer.toString(entry.retryCount()),
                    entry.lastError() == null ? "" : Safe.cut(entry.lastError(), 80));
        }
        output.table(table);
    }

    private static Duration age(Instant createdAt) {
        Duration age = Duration.between(createdAt, Instant.now());
        return age.isNegative() ? Duration.ZERO : age;
    }
}
