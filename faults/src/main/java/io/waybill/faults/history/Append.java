package io.waybill.faults.history;

import io.waybill.Event;
import io.waybill.Outbox;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Appends an event to the outbox. */
@FunctionalInterface
public interface Append {
    /** @param since the start of the transaction. It is earlier than the lock of the key, so it does not determine the order of events. */
    void append(Connection connection, Written event, Instant since) throws SQLException;

    /** Appends with Waybill's Java API. */
    static Append through(Outbox<Connection> outbox) {
        return (connection, event, since) -> outbox.append(
                connection,
                Event.builder(event.type(), "Account", event.key())
                        .id(event.id())
                        .aggregateVersion(event.n())
                        .payload(event.payload())
                        .headers(event.headers())
                        .occurredAt(since)
                        .build());
    }

    /** Appends with plain SQL, as a service in any language does: only the five columns of the table contract, without headers. */
    static Append plainSql() {
        return (connection, event, since) -> {
            String values = Stream.of(event.id().toString(), "Account", event.key(), event.type(), event.payload())
                    .map(value -> "'" + value.replace("'", "''") + "'")
                    .collect(Collectors.joining(", "));
            try (Statement insert = connection.createStatement()) {
                insert.executeUpdate("INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, payload)"
                        + " VALUES (" + values + ")");
            }
        };
    }
}
