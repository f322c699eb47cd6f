package io.waybill.spring;

import io.waybill.inbox.InboxBuilder.Late;
import io.waybill.inbox.InboxBuilder.Unknown;
import io.waybill.inbox.VersionGuard;
import io.waybill.jdbc.Engine;
import io.waybill.relay.OnDeadLetter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings of Waybill in a Spring Boot application; none has to be set.
 *
 * @param enabled Whether Waybill is configured at all.
 * @param source Name of this service in the events that it publishes; spring.application.name by default.
 * @param schema What to do about Waybill's tables when the application starts: check them, apply (create) what is missing, or none.
 * @param store Database of outbox and inbox: jdbc or mongodb; by default the application's DataSource, or MongoDB if it has none.
 * @param engine Engine of the outbox, for tables that are created; existing tables keep their engine.
 * @param transport Where events go: kafka, rabbitmq, nats, in-process (to this application's own handlers) or none. With auto, the
 *     broker whose transport is on the class path and whose address is known, else in-process.
 * @param maxPayload Largest payload to accept; the broker's own limit must be larger.
 * @param relay The relay, which publishes appended events.
 * @param kafka Settings for Kafka as the broker.
 * @param rabbitmq Settings for RabbitMQ as the broker.
 * @param nats Settings for NATS as the broker.
 * @param inbox The inbox, which passes events to handlers.
 * @param saga The saga engine, which runs the Saga beans.
 * @param health Limits of the health indicator.
 */
@ConfigurationProperties("waybill")
public record WaybillProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable String source,
        @DefaultValue("check") Schema schema,
        @Nullable Store store,
        @Nullable Engine engine,
        @DefaultValue("auto") TransportKind transport,
        @DefaultValue("1000000B") DataSize maxPayload,
        @DefaultValue Relay relay,
        @DefaultValue Kafka kafka,
        @DefaultValue RabbitMq rabbitmq,
        @DefaultValue Nats nats,
        @DefaultValue Inbox inbox,
        @DefaultValue Saga saga,
        @DefaultValue Health health) {

    /** What to do about the tables at the start. */
    public enum Schema {
        /** Refuse to start when they are missing or of another version. */
        CHECK,
        /** Create them when they are missing. */
        APPLY,
        /** Skip the check. */
        NONE
    }

    /** The kind of database. */
    public enum Store {
        JDBC,
        MONGODB
    }

    /** Where events go. */
    public enum TransportKind {
        AUTO,
        KAFKA,
        RABBITMQ,
        NATS,
        IN_PROCESS,
        NONE
    }

    /**
     * @param enabled Whether this application publishes; if false, the events stay pending for another relay.
     * @param every Publish pending events at this interval instead of at once.
     * @param name Name of the relay; host and process by default.
     * @param batchSize Maximum number of events that one claim takes from a lane.
     * @param claimBytes Maximum payload bytes that one claim holds in memory; a sixteenth of the heap, shared by the workers,
     *     by default.
     * @param workers Lanes that are processed at the same time; each uses a database connection from time to time.
     * @param pollEvery Delay before the next poll when the last one found events.
     * @param idleLimit Longest delay between two polls when there are no events.
     * @param lease Time after which other relays take over the lanes of a relay that does not respond.
     * @param retention How long published events are kept.
     * @param stopLimit Longest wait for acknowledgements when the application stops.
     * @param onDeadLetter Whether later events of the key are published after a dead letter (continue) or held until an operator decides
     *     (block).
     * @param retry How often and how fast a failing event is retried.
     */
    public record Relay(
            @DefaultValue("true") boolean enabled,
            @Nullable Duration every,
            @Nullable String name,
            @DefaultValue("500") int batchSize,
            @Nullable DataSize claimBytes,
            @DefaultValue("2") int workers,
            @DefaultValue("2ms") Duration pollEvery,
            @DefaultValue("50ms") Duration idleLimit,
            @DefaultValue("10s") Duration lease,
            @DefaultValue("7d") Duration retention,
            @DefaultValue("20s") Duration stopLimit,
            @DefaultValue("continue") OnDeadLetter onDeadLetter,
            @DefaultValue RelayRetry retry) {}

    /**
     * @param maxAttempts Largest number of attempts; after the last one the event is a dead letter.
     * @param firstDelay Delay after the first failure; doubles with every further one.
     * @param longestDelay Upper limit of the delay.
     */
    public record RelayRetry(
            @DefaultValue("10") int maxAttempts,
            @DefaultValue("500ms") Duration firstDelay,
            @DefaultValue("1m") Duration longestDelay) {}

    /**
     * @param bootstrapServers host:port of the brokers. If set, nothing of spring.kafka is used; otherwise addresses and security are
     *     those of spring.kafka, or of a KafkaConnectionDetails bean.
     * @param sendTimeout Time limit for the broker's answer to a message.
     * @param properties Settings of Kafka's clients, producer and consumer alike, such as security.protocol.
     * @param producer Settings of Kafka's producer, such as compression.type.
     * @param consumer Settings of Kafka's consumer, such as max.poll.records.
     */
    public record Kafka(
            @DefaultValue List<String> bootstrapServers,
            @DefaultValue("15s") Duration sendTimeout,
            @DefaultValue Map<String, String> properties,
            @DefaultValue Map<String, String> producer,
            @DefaultValue Map<String, String> consumer) {}

    /**
     * @param url rabbitmq://user:password@host:port,host:port/vhost (rabbitmqs:// with TLS). If set, nothing of spring.rabbitmq is
     *     used; otherwise the connection is that of spring.rabbitmq, or of a RabbitConnectionDetails bean.
     * @param exchange Exchange that the relay publishes to and the inbox's queue is bound to.
     * @param queue Queue that the inbox reads from; the name of the consumer group by default.
     * @param prefetch Largest number of messages that the inbox holds without having acknowledged them.
     * @param sendTimeout Time limit for the broker's answer to a message.
     */
    public record RabbitMq(
            @Nullable String url,
            @DefaultValue("waybill") String exchange,
            @Nullable String queue,
            @DefaultValue("200") int prefetch,
            @DefaultValue("15s") Duration sendTimeout) {}

    /**
     * @param url nats://user:password@host:port; several of them separated by commas.
     * @param stream JetStream stream that the relay publishes to and the inbox reads from.
     * @param replicas Number of servers that keep the stream, when Waybill creates it.
     * @param inFlight Largest number of unacknowledged messages of the consumer group. More than 1 can change the order of a key's
     *     events when a consumer dies.
     * @param sendTimeout Time limit for the server's answer to a message.
     */
    public record Nats(
            @Nullable String url,
            @DefaultValue("waybill") String stream,
            @DefaultValue("1") int replicas,
            @DefaultValue("1") int inFlight,
            @DefaultValue("15s") Duration sendTimeout) {}

    /**
     * @param enabled Whether this application consumes; if false, its handlers receive no events.
     * @param group Consumer group, whose members share the work; spring.application.name by default.
     * @param topics Topics to read; the handled event types by default.
     * @param workers Kafka partitions, or keys of other brokers, that are processed at the same time; each needs a database
     *     connection.
     * @param batchSize Largest number of events in one transaction; Kafka and RabbitMQ only.
     * @param checkRetention Whether to refuse to start when a topic keeps messages longer than the inbox remembers them.
     * @param retention How long to remember processed events; must exceed the broker's retention.
     * @param onUnknownType What to do with events of a type without a handler: skip, retry (a dead letter after the
     *     last attempt), or refuse (a dead letter at once). By default, events from a broker are skipped, and events of the
     *     in-process transport, which no other consumer can read, stay in the outbox.
     * @param onLateEvent What to do with an event older than the retention: apply, or dead-letter.
     * @param versions Version guard: off, skip-stale or strict.
     * @param patience How long the strict version guard waits for a missing version.
     * @param publishDeadLetters Whether dead letters are also published, to the topic with the suffix .dlt.
     * @param pauseAfter Number of different events that fail in a row before the group pauses.
     * @param retry How often and how fast a failing event is retried.
     */
    public record Inbox(
            @DefaultValue("true") boolean enabled,
            @Nullable String group,
            @DefaultValue List<String> topics,
            @DefaultValue("2") int workers,
            @DefaultValue("1") int batchSize,
            @DefaultValue("true") boolean checkRetention,
            @DefaultValue("15d") Duration retention,
            @Nullable Unknown onUnknownType,
            @DefaultValue("apply") Late onLateEvent,
            @DefaultValue("off") VersionGuard.Mode versions,
            @DefaultValue("30s") Duration patience,
            @DefaultValue("true") boolean publishDeadLetters,
            @DefaultValue("10") int pauseAfter,
            @DefaultValue InboxRetry retry) {}

    /**
     * @param maxAttempts Largest number of attempts; after the last one the event is a dead letter.
     * @param firstDelay Delay after the first failure; doubles with every further one.
     * @param longestDelay Upper limit of the delay.
     */
    public record InboxRetry(
            @DefaultValue("5") int maxAttempts,
            @DefaultValue("1s") Duration firstDelay,
            @DefaultValue("16s") Duration longestDelay) {}

    /**
     * @param enabled Whether this application runs sagas; if false, it only starts them, for the engine of another instance.
     * @param workers Number of sagas that are worked on at the same time; each uses a database connection from time to time.
     * @param longestPause Longest delay between two polls when no saga is due.
     * @param retention How long ended sagas are kept; until then, their business keys cannot be used again.
     */
    public record Saga(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("4") int workers,
            @DefaultValue("500ms") Duration longestPause,
            @DefaultValue("30d") Duration retention) {}

    /** @param oldestAge The outbox is down when its oldest pending event is older than this. */
    public record Health(@DefaultValue("5m") Duration oldestAge) {}
}
