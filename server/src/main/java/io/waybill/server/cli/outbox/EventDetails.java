package io.waybill.server.cli.outbox;

import io.waybill.Event;
import io.waybill.admin.AuditEntry;
import io.waybill.admin.EventRecord;
import io.waybill.admin.EventState;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.Output;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Prints one event with all of its fields. */
final class EventDetails {
    private final Output output;

    private EventDetails(Output output) {
        this.output = output;
    }

    static void print(EventRecord entry, List<AuditEntry> history, boolean json, Output output) {
        if (json) {
            output.json(Json.detailed(entry, history));
        } else {
            new EventDetails(output).print(entry, history);
        }
    }

    private void print(EventRecord entry, List<AuditEntry> history) {
        Event event = entry.event();
        field("id", event.id());
        field("state", entry.state());
        field("type", event.type() + " (version " + event.version() + ")");
        field(
                "aggregate",
                event.aggregateType() + " " + event.key()
                        + (event.aggregateVersion().isPresent()
                                ? " version " + event.aggregateVersion().getAsLong()
                                : ""));
        field("topic", event.destination());
        field("lane", entry.lane() + ", position " + entry.position());
        field("occurred", event.occurredAt());
        field("written", entry.createdAt());
        field("failed", entry.retryCount() + (entry.retryCount() == 1 ? " time" : " times"));
        field("next attempt", entry.nextAttemptAt());
        field("last error", entry.lastError());
        field("claimed by", entry.lockedBy() == null ? null : entry.lockedBy() + " until " + entry.lockedUntil());
        field(entry.state() == EventState.PUBLISHED ? "published" : "settled", settled(entry));
        event.headers().forEach((name, value) -> field("header", name + ": " + value));
        for (AuditEntry action : history) {
            field("operator", action.at() + " " + action.actor() + " " + action.action() + ": " + action.reason());
        }
        field("payload", event.payload());
    }

    /** The journal engine records the cursor of each lane, not the time at which each event was published. */
    private static @Nullable Object settled(EventRecord entry) {
        return entry.state() == EventState.PUBLISHED && entry.settledAt() == null
                ? "time not recorded by the journal engine"
                : entry.settledAt();
    }

    private void field(String name, @Nullable Object value) {
        if (value != null) {
            output.field(name, value);
        }
    }
}
