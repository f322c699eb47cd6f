package io.waybill.jdbc;

import io.waybill.Event;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads events from rows of {@code outbox_events}. */
final class EventRows {
    /** The columns that {@link #event} reads, in its order, of the table alias {@code e}. */
    static final String COLUMNS =
            "e.id, e.event_type, e.aggregate_type, e.aggregate_id, e.event_version, e.payload, e.occurred_at,"
                    + " e.aggregate_version, e.topic, e.headers";

    /** How many columns those are. */
    static final int COUNT = 10;

    private EventRows() {}

    static Event event(ResultSet row) throws SQLException {
        Event.Builder event = Event.builder(row.getString(2), row.getString(3), row.getString(4))
                .id(row.getObject(1, UUID.class))
                .version(row.getInt(5))
                .payload(row.getString(6))
                .occurredAt(row.getObject(7, OffsetDateTime.class).toInstant());
        long aggregateVersion = row.getLong(8);
        if (!row.wasNull()) {
            event.aggregateVersion(aggregateVersion);
        }
        String topic = row.getString(9);
        if (topic != null) {
            event.topic(topic);
        }
        String headers = row.getString(10);
        if (headers != null) {
            event.headers(HeaderJson.parse(headers));
        }
        return event.restore();
    }

    static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        // PostgreSQL's infinity comes as the largest or smallest time there is: not a date for people
        return time == null || time.equals(OffsetDateTime.MAX) || time.equals(OffsetDateTime.MIN)
                ? null
                : time.toInstant();
    }
}
