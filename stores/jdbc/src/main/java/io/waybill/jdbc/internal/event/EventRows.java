package io.waybill.jdbc.internal.event;

import static java.util.Objects.requireNonNull;

import io.waybill.Event;
import io.waybill.jdbc.internal.sql.Dialect;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads events from rows of {@code outbox_events}. */
public final class EventRows {
    /** The columns of the table alias {@code e} that {@link #event} reads. They must be the first columns of the result. */
    public static final String COLUMNS = String.join(", ", columns("e.payload", "e.headers", "NULL"));

    /** The index of the event's id. */
    public static final int ID = 1;

    private static final int TYPE = 2;
    private static final int AGGREGATE_TYPE = 3;
    static final int KEY = 4;
    private static final int VERSION = 5;
    static final int PAYLOAD = 6;
    private static final int OCCURRED_AT = 7;
    private static final int AGGREGATE_VERSION = 8;
    private static final int TOPIC = 9;
    static final int HEADERS = 10;

    /** The stored size of an event whose payload and headers were not selected; null for other events. */
    static final int OMITTED_SIZE = 11;

    private static final int MAX_PAGE_BYTES = 2 << 20;

    private static final int MIN_INLINE_BYTES = 1 << 10;

    private static final int MAX_INLINE_BYTES = 16 << 10;

    /** {@link Dialect#infinity} on databases without an infinite time. PostgreSQL's driver returns an even later time. */
    private static final Instant INFINITY = Instant.parse("9999-12-31T00:00:00Z");

    private EventRows() {}

    /**
     * As {@link #COLUMNS}, for a page of this number of events, some of which may be large. A large payload is returned as null, and
     * {@link Payloads} reads it if it fits into the claim. A page of 500 events includes all payloads of up to 4 kB, so most events
     * need no further round trip, and the result takes 2 MB at most.
     *
     * <p>The size is the number of bytes in the table, which PostgreSQL knows without reading the payload. Compressed text can
     * be longer: JSON is usually five to ten times longer, at worst 90 times (pglz) or 250 times (lz4). The hard limit of a
     * result is that multiple of 2 MB.
     */
    public static List<String> columns(Dialect dialect, int events) {
        int inline = Math.max(MIN_INLINE_BYTES, Math.min(MAX_INLINE_BYTES, MAX_PAGE_BYTES / Math.max(1, events)));
        String payload = dialect.storedSize("e.payload");
        String headers = dialect.storedSize("e.headers");
        return columns(
                "CASE WHEN " + payload + " <= " + inline + " THEN e.payload END",
                "CASE WHEN " + headers + " <= " + inline + " THEN e.headers END",
                "CASE WHEN " + payload + " > " + inline + " OR " + headers + " > " + inline + " THEN " + payload
                        + " + coalesce(" + headers + ", 0) END");
    }

    /** Returns the columns in the order of the constants above. */
    private static List<String> columns(String payload, String headers, String omittedSize) {
        return List.of(
                "e.id",
                "e.event_type",
                "e.aggregate_type",
                "e.aggregate_id",
                "e.event_version",
                payload,
                "e.occurred_at",
                "e.aggregate_version",
                "e.topic",
                headers,
                omittedSize);
    }

    public static Event event(Dialect dialect, ResultSet row) throws SQLException {
        return complete(builder(dialect, row), row.getString(PAYLOAD), row.getString(HEADERS));
    }

    static Event complete(Event.Builder event, String payload, @Nullable String headers) {
        event.payload(payload);
        if (headers != null) {
            event.headers(HeaderJson.parse(headers));
        }
        return event.restore();
    }

    /** Reads all columns except payload and headers. */
    static Event.Builder builder(Dialect dialect, ResultSet row) throws SQLException {
        Event.Builder event = Event.builder(row.getString(TYPE), row.getString(AGGREGATE_TYPE), row.getString(KEY))
                .id(dialect.uuid(row, ID))
                .version(row.getInt(VERSION))
                .occurredAt(time(dialect, row, OCCURRED_AT));
        long aggregateVersion = row.getLong(AGGREGATE_VERSION);
        if (!row.wasNull()) {
            event.aggregateVersion(aggregateVersion);
        }
        String topic = row.getString(TOPIC);
        if (topic != null) {
            event.topic(topic);
        }
        return event;
    }

    /** Reads a time from a column that is never null. */
    public static Instant time(Dialect dialect, ResultSet row, int column) throws SQLException {
        return requireNonNull(dialect.instant(row, column));
    }

    /** Reads a time for display. Returns null if the column is null or infinite. */
    public static @Nullable Instant instant(Dialect dialect, ResultSet row, int column) throws SQLException {
        Instant time = dialect.instant(row, column);
        return time == null || !time.isBefore(INFINITY) || time.isBefore(Instant.EPOCH) ? null : time;
    }
}
