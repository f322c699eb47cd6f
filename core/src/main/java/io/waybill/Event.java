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
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An immutable fact about one aggregate, written to the outbox in the transaction that made it true.
 *
 * <p>The {@link #key() key} (the aggregate's id) decides order: events of one key are delivered in the order in which
 * their transactions appended them, provided that writers serialise on the aggregate (a row lock or a version check)
 * before they append. The {@link #id() id} is the event's identity everywhere, never its order.
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

    /** The shortest way to an event: a new id, version 1, now, no headers. */
    public static Event of(String type, String aggregateType, String key, String jsonPayload) {
        return builder(type, aggregateType, key).payload(jsonPayload).build();
    }

    public static Builder builder(String type, String aggregateType, String key) {
        return new Builder(
                requireNonNull(type, "type"),
                requireNonNull(aggregateType, "aggregateType"),
                requireNonNull(key, "key"));
    }

    /** Identity of the event and of every message that carries it; consumers deduplicate by it. */
    public UUID id() {
        return id;
    }

    public String type() {
        return type;
    }

    /** Version of the payload's schema, 1 unless said otherwise. */
    public int version() {
        return version;
    }

    public String aggregateType() {
        return aggregateType;
    }

    /** Id of the aggregate: the unit of order. */
    public String key() {
        return key;
    }

    /** Version of the aggregate after the change, when the writer keeps one. */
    public OptionalLong aggregateVersion() {
        return aggregateVersion == null ? OptionalLong.empty() : OptionalLong.of(aggregateVersion);
    }

    /** Where the event goes when that is not its type. */
    public Optional<String> topic() {
        return Optional.ofNullable(topic);
    }

    /** The topic to publish to: the explicit one, or the event's type. */
    public String destination() {
        return topic == null ? type : topic;
    }

    /** JSON text, delivered exactly as written. */
    public String payload() {
        return payload;
    }

    public Map<String, String> headers() {
        return headers;
    }

    public Instant occurredAt() {
        return occurredAt;
    }

    /** The same event, with those of these headers that it does not have itself. */
    public Event withDefaultHeaders(Map<String, String> defaults) {
        if (headers.keySet().containsAll(defaults.keySet())) {
            return this;
        }
        Builder same = builder(type, aggregateType, key)
                .id(id)
                .version(version)
                .payload(payload)
                .occurredAt(occurredAt)
                .headers(defaults)
                .headers(headers);
        same.topic = topic;
        same.aggregateVersion = aggregateVersion;
        return same.build();
    }

    /** Type, key and id for a log line, which a key cannot break or forge. */
    @Override
    public String toString() {
        return LogText.name(type) + "/" + LogText.name(key) + " " + id;
    }

    /** Collects what an event consists of; {@link #build()} checks it. */
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

        public Builder payload(String json) {
            this.payload = requireNonNull(json, "payload");
            return this;
        }

        /** Adds a header; {@link Headers} has the names that Waybill understands. */
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
         * @throws WaybillException when a part is missing, too long or holds characters that no database or broker can carry
         */
        public Event build() {
            EventRules.check(type, aggregateType, key, payload, version, topic, headers);
            return new Event(this);
        }

        /**
         * For stores: an event as it was found, unchecked. A row that other software wrote against the rules must still reach
         * the relay, where it ends as a dead letter that a person can see, instead of stopping its lane.
         */
        public Event restore() {
            return new Event(this);
        }
    }
}
