package io.waybill.spring.jpa;

import static java.util.Objects.requireNonNull;

import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.admin.EventState;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.PrePersist;
import jakarta.persistence.Transient;
import java.time.Instant;
import java.util.UUID;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.Subselect;
import org.hibernate.annotations.Synchronize;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code outbox_events} with its state. {@link OutboxEventRepository#save} appends a new one; after that, an event never
 * changes. Hibernate itself must not write it, because only the database may assign its position. The entity is a subselect
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

    @Transient
    private @Nullable Event appended;

    /** Hibernate needs this constructor. */
    protected OutboxEvent() {}

    /**
     * Creates an event to save, with a new id, version 1 and the current time.
     *
     * @param aggregateId the key
     * @param payload JSON
     */
    public OutboxEvent(String eventType, String aggregateType, String aggregateId, String payload) {
        this(Event.of(eventType, aggregateType, aggregateId, payload));
    }

    /** Creates an event to save that also has, for example, headers or a topic. */
    public OutboxEvent(Event event) {
        this.appended = event;
        this.id = event.id();
        this.aggregateType = event.aggregateType();
        this.aggregateId = event.key();
        this.aggregateVersion =
                event.aggregateVersion().isPresent() ? event.aggregateVersion().getAsLong() : null;
        this.eventType = event.type();
        this.eventVersion = event.version();
        this.topic = event.topic().orElse(null);
        this.payload = event.payload();
        this.occurredAt = event.occurredAt();
        this.createdAt = event.occurredAt();
    }

    /** Returns the event to append, or null if this object was read from the database. */
    @Nullable
    Event appended() {
        return appended;
    }

    /** Hibernate calls this before an insert. */
    @PrePersist
    void refuseInsert() {
        throw new WaybillException("Hibernate cannot insert event " + id
                + ", because the database must assign its position. Save it with OutboxEventRepository.save, or append it"
                + " with TransactionalOutbox.");
    }

    public UUID getId() {
        return requireNonNull(id, "id");
    }

    /** The position in the order of its key; 0 until the event is read from the database. */
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

    /** Whether the event is published. The journal engine does not record when it was published. */
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
