package io.waybill.kafka;

import static java.util.Objects.requireNonNull;

import io.waybill.WaybillException;
import io.waybill.inbox.Inbox;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Feeds an inbox from Kafka topics: polls, keeps the order of each partition while several partitions are worked side by side,
 * and commits an offset only after the database has committed what came before it. Start as many as you like in one group.
 *
 * <p>When partitions are taken away, what is being handled may finish within the hand-over limit; what does not is left to the
 * new owner, who waits in the database until the old one's transaction has ended, and its offset is never committed from here.
 */
public final class KafkaInbox implements AutoCloseable {
    private final ConsumerSettings settings;
    private final Inbox<?> inbox;
    private final boolean checkRetention;
    private volatile @Nullable KafkaConsumerLoop consuming;

    private KafkaInbox(Builder builder) {
        this.inbox = builder.inbox;
        this.settings = new ConsumerSettings(builder);
        this.checkRetention = builder.checkRetention;
    }

    /** @param bootstrapServers {@code host:port}; several of them with commas between */
    public static Builder builder(String bootstrapServers, Inbox<?> inbox) {
        return new Builder(requireNonNull(bootstrapServers, "bootstrapServers"), requireNonNull(inbox, "inbox"));
    }

    /**
     * Begins to consume on its own threads, and to try what is due in the inbox. A broker that is down is waited for.
     *
     * @throws WaybillException when the inbox forgets sooner than a topic does; see {@link Builder#withoutRetentionCheck}
     */
    public synchronized void start() {
        if (consuming != null) {
            throw new IllegalStateException(
                    "The consumer of group " + inbox.group() + " was started before. Build a new one.");
        }
        if (checkRetention) {
            RetentionCheck.check(settings, inbox);
        }
        inbox.start();
        KafkaConsumerLoop started = new KafkaConsumerLoop(settings, inbox);
        consuming = started;
        started.start();
    }

    /** Whether it was started and works or waits for its broker: neither closed nor ended by an error, which the log names. */
    public boolean isRunning() {
        KafkaConsumerLoop started = consuming;
        return started != null && started.isRunning();
    }

    /** Finishes what is being handled, commits the offsets and leaves the group. Closes the inbox too, not its store. */
    @Override
    public synchronized void close() {
        KafkaConsumerLoop started = consuming;
        if (started != null) {
            started.stop();
        }
        inbox.close();
    }

    /** Settings with their defaults; nothing has to be set. */
    public static final class Builder {
        final String bootstrapServers;
        final Inbox<?> inbox;
        final Map<String, Object> user = new HashMap<>();
        List<String> topics;
        int workers = 4;
        int batchSize = 1;
        Duration handOverLimit = Duration.ofSeconds(20);
        private boolean checkRetention = true;

        private Builder(String bootstrapServers, Inbox<?> inbox) {
            this.bootstrapServers = bootstrapServers;
            this.inbox = inbox;
            this.topics = new ArrayList<>(inbox.eventTypes());
        }

        /** Where to read; the event types that have handlers unless set, because an event's topic is its type by default. */
        public Builder topics(Collection<String> topics) {
            this.topics = List.copyOf(topics);
            return this;
        }

        public Builder topics(String... topics) {
            return topics(List.of(topics));
        }

        /** Partitions that are worked at the same time: 4. Each needs a database connection, and the inbox one more. */
        public Builder workers(int threads) {
            this.workers = threads;
            return this;
        }

        /**
         * Most events of a partition in one transaction: 1. More are faster; when one fails, all of them run again one by one,
         * so handlers should have no effects outside of the transaction.
         */
        public Builder batchSize(int events) {
            this.batchSize = events;
            return this;
        }

        /** How long the group waits for a handler when its partition goes to another consumer: 20 s. */
        public Builder handOverLimit(Duration limit) {
            this.handOverLimit = requireNonNull(limit, "limit");
            return this;
        }

        /** Starts even when the broker keeps messages longer than the inbox remembers them. */
        public Builder withoutRetentionCheck() {
            this.checkRetention = false;
            return this;
        }

        /** Any setting of Kafka's consumer that breaks no promise of Waybill's, such as {@code max.poll.records}. */
        public Builder setting(String name, Object value) {
            user.put(requireNonNull(name, "name"), requireNonNull(value, "value"));
            return this;
        }

        public KafkaInbox build() {
            if (topics.isEmpty()) {
                throw new WaybillException("Group " + inbox.group() + " reads no topics. Name one.");
            }
            if (workers < 1 || workers > 64) {
                throw new WaybillException("workers must be between 1 and 64, not " + workers + ".");
            }
            if (batchSize < 1 || batchSize > 1_000) {
                throw new WaybillException("batch size must be between 1 and 1000, not " + batchSize + ".");
            }
            return new KafkaInbox(this);
        }
    }
}
