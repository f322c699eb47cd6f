package io.waybill.jdbc.internal.event;

import static java.util.Objects.requireNonNull;

import io.waybill.Event;
import io.waybill.jdbc.internal.sql.Dialect;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Reads events from rows of {@code outbox_events}. */
public final class EventRows {
    /** The columns that {@link #event} reads, in its order, of the table alias {@code e}. */
    public static final String COLUMNS = columns("e.payload", "e.headers", "NULL");

    /** How many columns those are. */
    public static final int COUNT = 11;

    /** The column that holds the stored size of an event whose payload and headers were left out. */
    public static final int LEFT_OUT = COUNT;

    private static final int MOST_OF_A_PAGE = 2 << 20;

    private static final int SMALLEST_LARGE = 1 << 10;

    private static final int LARGEST_SMALL = 16 << 10;

    /** PostgreSQL's infinity comes as the largest time there is; others have the last day that all can write. */
    private static final Instant END_OF_DAYS = Instant.parse("9999-12-31T00:00:00Z");

    private EventRows() {}

    /**
     * As {@link #COLUMNS}, for a page of so many events that may be large. A large payload is null, and {@link Payloads} reads it when there is room for it. A page of 500 has all payloads of up to 4 kB, so the usual event
     * costs no further round trip, and its result holds 2 MB at most.
     *
     * <p>The size is what the event takes up in the table. PostgreSQL knows it without reading the payload. Compressed text can
     * be longer: JSON usually five to ten times, at worst 90 times (pglz) or 250 times (lz4), so the hard limit of a result
     * is that multiple of 2 MB.
     */
    public static String upTo(Dialect dialect, int events) {
        int small = Math.max(SMALLEST_LARGE, Math.min(LARGEST_SMALL, MOST_OF_A_PAGE / Math.max(1, events)));
        String payload = dialect.storedSize("e.payload");
        String headers = dialect.storedSize("e.headers");
        return columns(
                "CASE WHEN " + payload + " <= " + small + " THEN e.payload END",
                "CASE WHEN " + headers + " <= " + small + " THEN e.headers END",
                "CASE WHEN " + payload + " > " + small + " OR " + headers + " > " + small + " THEN " + payload
                        + " + coalesce(" + headers + ", 0) END");
    }

    private static String columns(String payload, String headers, String leftOut) {
        return "e.id, e.event_type, e.aggregate_type, e.aggregate_id, e.event_version, " + payload
                + ", e.occurred_at, e.aggregate_version, e.topic, " + headers + ", " + leftOut;
    }

    public static Event event(Dialect dialect, ResultSet row) throws SQLException {
        return whole(builder(dialect, row), row.getString(6), row.getString(10));
    }

    public static Event whole(Event.Builder event, String payload, @Nullable String headers) {
        event.payload(payload);
        if (headers != null) {
            event.headers(HeaderJson.parse(headers));
        }
        return event.restore();
    }

    /** All but payload and headers. */
    public static Event.Builder builder(Dialect dialect, ResultSet row) throws SQLException {
        Event.Builder event = Event.builder(row.getString(2), row.getString(3), row.getString(4))
                .id(dialect.uuid(row, 1))
                .version(row.getInt(5))
                .occurredAt(time(dialect, row, 7));
        long aggregateVersion = row.getLong(8);
        if (!row.wasNull()) {
            event.aggregateVersion(aggregateVersion);
        }
        String topic = row.getString(9);
        if (topic != null) {
            event.topic(topic);
        }
        return event;
    }

    /** Of a column that is never null. */
    public static Instant time(Dialect dialect, ResultSet row, int column) throws SQLException {
        return requireNonNull(dialect.instant(row, column));
    }

    /** Null for what is not a date for people: none, or the end of all days. */
    public static @Nullable Instant instant(Dialect dialect, ResultSet row, int column) throws SQLException {
        Instant time = dialect.instant(row, column);
        return time == null || !time.isBefore(END_OF_DAYS) || time.isBefore(Instant.EPOCH) ? null : time;
    }
}
