package io.waybill.jdbc.internal.event;

import io.waybill.Event;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.store.ClaimedEvent;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An event that a claim has found. The payload of a large one is still in the database; see {@link EventRows#upTo}. */
public final class Candidate {
    private final UUID id;
    private final String key;
    private final Event.Builder builder;
    private final long position;
    private final int retryCount;
    private final boolean retried;
    private final Duration age;
    private long size;
    private @Nullable Event event;
    private boolean gone;

    private Candidate(
            UUID id,
            String key,
            Event.Builder builder,
            long size,
            long position,
            int retryCount,
            boolean retried,
            Duration age) {
        this.id = id;
        this.key = key;
        this.builder = builder;
        this.size = size;
        this.position = position;
        this.retryCount = retryCount;
        this.retried = retried;
        this.age = age;
    }

    /** @param micros the age of the event */
    public static Candidate read(
            Dialect dialect, ResultSet row, long position, int retryCount, boolean retried, long micros)
            throws SQLException {
        Candidate candidate = new Candidate(
                dialect.uuid(row, 1),
                row.getString(4),
                EventRows.builder(dialect, row),
                row.getLong(EventRows.LEFT_OUT),
                position,
                retryCount,
                retried,
                Duration.ofNanos(Math.max(0, micros) * 1_000));
        if (candidate.size == 0) {
            candidate.complete(row.getString(6), row.getString(10));
        }
        return candidate;
    }

    public void complete(String payload, @Nullable String headers) {
        size = payload.length() + (headers == null ? 0L : headers.length());
        event = EventRows.whole(builder, payload, headers);
    }

    public UUID id() {
        return id;
    }

    public String key() {
        return key;
    }

    public long position() {
        return position;
    }

    /** The length of payload and headers; of an incomplete event what it takes up in the table. */
    public long size() {
        return size;
    }

    public boolean complete() {
        return event != null;
    }

    /** Somebody has deleted the row. */
    public void disappeared() {
        gone = true;
    }

    public boolean gone() {
        return gone;
    }

    public ClaimedEvent claimed() {
        Event whole = event;
        if (whole == null) {
            throw new IllegalStateException("The payload of event " + id + " was not read.");
        }
        return new ClaimedEvent(whole, position, retryCount, retried, age);
    }
}
