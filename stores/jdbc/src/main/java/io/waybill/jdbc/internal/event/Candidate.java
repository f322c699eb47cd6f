package io.waybill.jdbc.internal.event;

import io.waybill.Event;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.store.ClaimedEvent;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An event that a claim may include. A large payload is read later; see {@link EventRows#columns(Dialect, int)}. */
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
    private boolean deleted;

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

    public static Candidate read(
            Dialect dialect, ResultSet row, long position, int retryCount, boolean retried, long ageMicros)
            throws SQLException {
        Candidate candidate = new Candidate(
                dialect.uuid(row, EventRows.ID),
                row.getString(EventRows.KEY),
                EventRows.builder(dialect, row),
                row.getLong(EventRows.OMITTED_SIZE),
                position,
                retryCount,
                retried,
                Duration.ofNanos(Math.max(0, ageMicros) * 1_000));
        if (candidate.size == 0) {
            candidate.complete(row.getString(EventRows.PAYLOAD), row.getString(EventRows.HEADERS));
        }
        return candidate;
    }

    public void complete(String payload, @Nullable String headers) {
        size = payload.length() + (headers == null ? 0L : headers.length());
        event = EventRows.complete(builder, payload, headers);
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

    /** The length of payload and headers. Until they are read, this is their size in the table. */
    public long size() {
        return size;
    }

    public boolean isComplete() {
        return event != null;
    }

    /** Records that another session has deleted the row. */
    public void setDeleted() {
        deleted = true;
    }

    public boolean isDeleted() {
        return deleted;
    }

    public ClaimedEvent claimed() {
        Event complete = event;
        if (complete == null) {
            throw new IllegalStateException("The payload of event " + id + " was not read.");
        }
        return new ClaimedEvent(complete, position, retryCount, retried, age);
    }
}
