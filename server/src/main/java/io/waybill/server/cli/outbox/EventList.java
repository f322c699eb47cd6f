package io.waybill.server.cli.outbox;

import io.waybill.Event;
import io.waybill.admin.EventRecord;
import io.waybill.server.cli.command.Format;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.Output;
import io.waybill.server.cli.command.Table;
import io.waybill.server.cli.command.TerminalText;
import java.util.List;

/** Prints events as a table, or as JSON lines. */
final class EventList {
    private EventList() {}

    /** @param width the width of the terminal; the last column is shortened to fit */
    static void print(List<EventRecord> events, boolean json, Output output, int width) {
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
                    TerminalText.cut(typeAndTopic(entry.event()), 40),
                    TerminalText.cut(entry.event().key(), 40),
                    Format.ageSince(entry.createdAt()),
                    Integer.toString(entry.retryCount()),
                    reason(entry));
        }
        output.table(table.cutTo(width));
    }

    /** The topic is shown if it differs from the type, because a wrong topic is a frequent reason of dead letters. */
    private static String typeAndTopic(Event event) {
        return event.topic().map(topic -> event.type() + " → " + topic).orElse(event.type());
    }

    /** The error without its prefix of event, topic and key, which the row already shows. */
    static String reason(EventRecord entry) {
        if (entry.lastError() == null) {
            return "";
        }
        String event = "(topic " + entry.event().destination() + ", key "
                + entry.event().key() + ")";
        int found = entry.lastError().indexOf(event);
        String rest = found < 0 ? "" : entry.lastError().substring(found + event.length());
        return rest.startsWith(": ") || rest.startsWith(", ") ? rest.substring(2) : entry.lastError();
    }
}
