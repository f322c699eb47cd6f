package io.waybill.spring.jpa;

import static java.util.Objects.requireNonNull;

import io.waybill.admin.EventState;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import java.time.Instant;
import java.util.UUID;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.Subselect;
import org.hibernate.annotations.Synchronize;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code outbox_events} with its state, read-only. Events are appended through
 * {@link io.waybill.spring.TransactionalOutbox}, because only the database may assign their position. The entity is a subselect
 * instead of a table, so that {@code ddl-auto} creates and changes nothing. It converts JSON to text with {@code concat}, which every
 * database has; their casts differ.
 */
@Entity(name = "WaybillOutboxEvent")
@Immutable
@Subselect("""
        SELECT e.id, e.seq, e.aggregate_type, e.aggregate_id, e.aggregate_version, e.event_type, e.event_version, e.topic,
               CASE WHEN e.headers IS NULL THEN NULL ELSE concat(e.headers, '') END AS headers, concat(e.payload, '') AS payload, e.occurred_at, e.created_at,
               s.state, s.retry_count, s.last_error, s.next_attempt_at, s.processed_at
        FROM outbox_events e JOIN outbox_states s ON s.id = e.id""")
@Synchronize({"outbox_events", "outbox_held"})
public class OutboxEvent {
    @Id
    private @Nullable UUID id;

    private long seq;
    private String aggregateType = "";
    private String aggregateId = "";
    private @Nullable Long aggregateVersion;
    private String eventType = "";
    private int eventVersion;
    private @Nullable String topic;
    private @Nullable String headers;
    private String payload = "";
    private Instant occurredAt = Instant.EPOCH;
    private Instant createdAt = Instant.EPOCH;

    @Enumerated(EnumType.STRING)
    private EventState state = EventState.PENDING;

    private int retryCount;
    private @Nullable String lastError;
    private @Nullable Instant nextAttemptAt;

    @Column(name = "processed_at")
    private @Nullable Instant settledAt;

    /** For Hibernate. */
    protected OutboxEvent() {}

    public UUID getId() {
        return requireNonNull(id, "id");
    }

    /** The position in the order of its key. */
    public long getSeq() {
        return seq;
    }

    public String getAggregateType() {
        return aggregateType;
    }

    /** The key. */
    public String getAggregateId() {
        return aggregateId;
    }

    public @Nullable Long getAggregateVersion() {
        return aggregateVersion;
    }

    public String getEventType() {
        return eventType;
    }

    public int getEventVersion() {
        return eventVersion;
    }

    public @Nullable String getTopic() {
        return topic;
    }

    /** A JSON object of strings. */
    public @Nullable String getHeaders() {
        return headers;
    }

    /** JSON, as it was written. */
    public String getPayload() {
        return payload;
    }

    public Instant getOccurredAt() {
        return occurredAt;
    }

    public Instant getCreatedAt() {
        return createdAt;
    }

    public EventState getState() {
        return state;
    }

    /** The state. The journal engine does not record when an event was published. */
    public boolean isProcessed() {
        return state == EventState.PUBLISHED;
    }

    /** Failed attempts. */
    public int getRetryCount() {
        return retryCount;
    }

    public @Nullable String getErrorMessage() {
        return lastError;
    }

    public @Nullable Instant getNextAttemptAt() {
        return nextAttemptAt;
    }

    /** When the event was published (queue engine only), became a dead letter or was discarded. */
    public @Nullable Instant getProcessedAt() {
        return settledAt;
    }
}
