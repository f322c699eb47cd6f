package io.waybill;

import static java.util.Objects.requireNonNull;

import com.github.f4b6a3.uuid.UuidCreator;
import io.waybill.internal.LogText;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An immutable fact about one aggregate, appended to the outbox in the transaction that changes the aggregate.
 *
 * <p>The {@link #key() key} (the id of the aggregate) determines the order: events of one key are delivered in the order in which their
 * transactions appended them. This requires that writers serialize on the aggregate, with a row lock or a version check, before they
 * append. The {@link #id() id} identifies the event everywhere; it does not determine the order.
 */
public final class Event {
    private final UUID id;
    private final String type;
    private final int version;
    private final String aggregateType;
    private final String key;
    private final @Nullable Long aggregateVersion;
    private final @Nullable String topic;
    private final String payload;
    private final Map<String, String> headers;
    private final Instant occurredAt;

    private Event(Builder builder) {
        this.type = builder.type;
        this.aggregateType = builder.aggregateType;
        this.key = builder.key;
        this.payload = builder.payload;
        this.version = builder.version;
        this.topic = builder.topic;
        this.headers = builder.headers.isEmpty()
                ? Map.of()
                : Collections.unmodifiableMap(new LinkedHashMap<>(builder.headers));
        this.aggregateVersion = builder.aggregateVersion;
        this.id = builder.id == null ? UuidCreator.getTimeOrderedEpoch() : builder.id;
        Instant time = builder.occurredAt == null ? Instant.now() : builder.occurredAt;
        this.occurredAt = time.truncatedTo(ChronoUnit.MICROS);
    }

    /** Creates an event with a new id, version 1, the current time and no headers. */
    public static Event of(String type, String aggregateType, String key, String jsonPayload) {
        return builder(type, aggregateType, key).payload(jsonPayload).build();
    }

    public static Builder builder(String type, String aggregateType, String key) {
        return new Builder(
                requireNonNull(type, "type"),
                requireNonNull(aggregateType, "aggregateType"),
                requireNonNull(key, "key"));
    }

    /** The id of the event and of every message that contains it. Consumers deduplicate by this id. */
    public UUID id() {
        return id;
    }

    public String type() {
        return type;
    }

    /** The schema version of the payload (default 1). */
    public int version() {
        return version;
    }

    public String aggregateType() {
        return aggregateType;
    }

    /** The id of the aggregate. Events of one key are ordered. */
    public String key() {
        return key;
    }

    /** The version of the aggregate after the change, if the writer maintains one. */
    public OptionalLong aggregateVersion() {
        return aggregateVersion == null ? OptionalLong.empty() : OptionalLong.of(aggregateVersion);
    }

    /** The explicit topic, if one is set. */
    public Optional<String> topic() {
        return Optional.ofNullable(topic);
    }

    /** The topic to publish to: the explicit one, or the event's type. */
    public String destination() {
        return topic == null ? type : topic;
    }

    /**
     * The key of the message, which determines its partition: the explicit one, or the event's {@link #key() key}. An explicit one
     * puts events of different aggregates into one partition, for example all payments of an order. The order is still that of
     * the event's key only; events of one key should therefore have the same partition key.
     */
    public String partitionKey() {
        String explicit = headers.get(Headers.PARTITION_KEY);
        return explicit == null || explicit.isBlank() ? key : explicit;
    }

    /** The number of attempts after which this event becomes a dead letter, if it differs from that of the relay. */
    public OptionalInt maxAttempts() {
        String limit = headers.get(Headers.MAX_ATTEMPTS);
        return limit != null && EventRules.isLimit(limit)
                ? OptionalInt.of(Integer.parseInt(limit))
                : OptionalInt.empty();
    }

    /** The JSON text, which is delivered unchanged. */
    public String payload() {
        return payload;
    }

    public Map<String, String> headers() {
        return headers;
    }

    public Instant occurredAt() {
        return occurredAt;
    }

    /** Returns the event with these headers added; headers that the event already has are kept. */
    public Event withDefaultHeaders(Map<String, String> defaults) {
        return headers.keySet().containsAll(defaults.keySet())
                ? this
                : copy().headers(defaults).headers(headers).build();
    }

    /**
     * Returns the event with these headers; they replace headers of the same name. Does not validate the event: it may come from other
     * software.
     */
    public Event withHeaders(Map<String, String> replacements) {
        return copy().headers(headers).headers(replacements).restore();
    }

    private Builder copy() {
        Builder same = builder(type, aggregateType, key)
                .id(id)
                .version(version)
                .payload(payload)
                .occurredAt(occurredAt);
        same.topic = topic;
        same.aggregateVersion = aggregateVersion;
        return same;
    }

    /** Returns type, key and id for log lines. Control characters are replaced, so that a key cannot forge a log line. */
    @Override
    public String toString() {
        return LogText.name(type) + "/" + LogText.name(key) + " " + id;
    }

    /** Builds an event; {@link #build()} validates it. */
    public static final class Builder {
        private final String type;
        private final String aggregateType;
        private final String key;
        private final Map<String, String> headers = new LinkedHashMap<>();
        private String payload = "{}";
        private int version = 1;
        private @Nullable UUID id;
        private @Nullable Long aggregateVersion;
        private @Nullable String topic;
        private @Nullable Instant occurredAt;

        private Builder(String type, String aggregateType, String key) {
            this.type = type;
            this.aggregateType = aggregateType;
            this.key = key;
        }

        public Builder id(UUID id) {
            this.id = requireNonNull(id, "id");
            return this;
        }

        public Builder version(int version) {
            this.version = version;
            return this;
        }

        public Builder aggregateVersion(long aggregateVersion) {
            this.aggregateVersion = aggregateVersion;
            return this;
        }

        public Builder topic(String topic) {
            this.topic = requireNonNull(topic, "topic");
            return this;
        }

        /** Sets the key of the message, if it differs from the key of the event; see {@link Event#partitionKey()}. */
        public Builder partitionKey(String partitionKey) {
            return header(Headers.PARTITION_KEY, partitionKey);
        }

        /**
         * Sets after how many attempts this event becomes a dead letter, from 1 to 99999. Attempts during an outage of the broker
         * do not count.
         */
        public Builder maxAttempts(int attempts) {
            return header(Headers.MAX_ATTEMPTS, Integer.toString(attempts));
        }

        public Builder payload(String json) {
            this.payload = requireNonNull(json, "payload");
            return this;
        }

        /** Adds a header. {@link Headers} lists the names with a special meaning. */
        public Builder header(String name, String value) {
            headers.put(requireNonNull(name, "name"), requireNonNull(value, "value"));
            return this;
        }

        public Builder headers(Map<String, String> headers) {
            headers.forEach(this::header);
            return this;
        }

        public Builder occurredAt(Instant occurredAt) {
            this.occurredAt = requireNonNull(occurredAt, "occurredAt");
            return this;
        }

        /**
         * @throws WaybillException if a part is missing, too long or contains characters that databases or brokers cannot carry
         */
        public Event build() {
            EventRules.check(type, aggregateType, key, payload, version, topic, headers);
            return new Event(this);
        }

        /**
         * Returns an event without validation; for stores. An invalid row that other software wrote must still reach the relay, where
         * it becomes a dead letter that operators can see. Otherwise it would block its lane.
         */
        public Event restore() {
            return new Event(this);
        }
    }
}
