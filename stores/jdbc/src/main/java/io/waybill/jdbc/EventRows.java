package io.waybill.jdbc;

import static java.util.Objects.requireNonNull;

import io.waybill.Event;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Reads events from rows of {@code outbox_events}. */
final class EventRows {
    /** The columns that {@link #event} reads, in its order, of the table alias {@code e}. */
    static final String COLUMNS =
            "e.id, e.event_type, e.aggregate_type, e.aggregate_id, e.event_version, e.payload, e.occurred_at,"
                    + " e.aggregate_version, e.topic, e.headers";

    /** How many columns those are. */
    static final int COUNT = 10;

    /** PostgreSQL's infinity comes as the largest time there is; others have the last day that all can write. */
    private static final Instant END_OF_DAYS = Instant.parse("9999-12-31T00:00:00Z");

    private EventRows() {}

    static Event event(Dialect dialect, ResultSet row) throws SQLException {
        Event.Builder event = Event.builder(row.getString(2), row.getString(3), row.getString(4))
                .id(dialect.uuid(row, 1))
                .version(row.getInt(5))
                .payload(row.getString(6))
                .occurredAt(time(dialect, row, 7));
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

    /** Of a column that is never null. */
    static Instant time(Dialect dialect, ResultSet row, int column) throws SQLException {
        return requireNonNull(dialect.instant(row, column));
    }

    /** Null for what is not a date for people: none, or the end of all days. */
    static @Nullable Instant instant(Dialect dialect, ResultSet row, int column) throws SQLException {
        Instant time = dialect.instant(row, column);
        return time == null || !time.isBefore(END_OF_DAYS) || time.isBefore(Instant.EPOCH) ? null : time;
    }
}
