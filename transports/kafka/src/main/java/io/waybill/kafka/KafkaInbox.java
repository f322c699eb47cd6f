package io.waybill.kafka;

import static java.util.Objects.requireNonNull;

import io.waybill.WaybillException;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.internal.consumer.ConsumerOptions;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Consumes Kafka topics and passes their events to an inbox. Events of a partition are handled in order, several partitions in parallel.
 * An offset is committed only after the database has committed all events before it. A group can have any number of consumers.
 *
 * <p>When a partition is revoked, running handlers may finish within the hand-over limit. The new owner of the partition repeats an event
 * whose handler takes longer: it waits in the database until the old transaction has ended, and this consumer does not commit the offset.
 */
public final class KafkaInbox implements AutoCloseable {
    private final ConsumerSettings settings;
    private final Inbox<?> inbox;
    private final boolean checkRetention;
    private volatile @Nullable KafkaConsumerLoop loop;

    private KafkaInbox(Builder builder, ConsumerOptions options) {
        this.inbox = options.inbox();
        this.settings = new ConsumerSettings(builder, options);
        this.checkRetention = builder.checkRetention;
    }

    /** @param bootstrapServers {@code host:port}; separate several with commas */
    public static Builder builder(String bootstrapServers, Inbox<?> inbox) {
        return new Builder(requireNonNull(bootstrapServers, "bootstrapServers"), requireNonNull(inbox, "inbox"));
    }

    /**
     * Starts consuming on background threads, and starts the retries of the inbox. If the broker is down, the consumer tries to
     * connect until it is up.
     *
     * @throws WaybillException if a topic keeps messages for longer than the inbox remembers them; see {@link Builder#withoutRetentionCheck}
     */
    public synchronized void start() {
        if (loop != null) {
            throw new IllegalStateException(
                    "The consumer of group " + inbox.group() + " was already started. Build a new one.");
        }
        if (checkRetention) {
            RetentionCheck.check(settings, inbox);
        }
        inbox.start();
        KafkaConsumerLoop started = new KafkaConsumerLoop(settings, inbox);
        loop = started;
        started.start();
    }

    /** Returns whether the consumer is started and neither closed nor failed; true also while the broker is unreachable. */
    public boolean isRunning() {
        KafkaConsumerLoop started = loop;
        return started != null && started.isRunning();
    }

    /** Waits for running handlers, commits the offsets and leaves the group. Also closes the inbox, but not its store. */
    @Override
    public synchronized void close() {
        KafkaConsumerLoop started = loop;
        if (started != null) {
            started.stop();
        }
        inbox.close();
    }

    /** All settings are optional. */
    public static final class Builder extends ConsumerOptions.Builder<Builder> {
        final String bootstrapServers;
        final Map<String, Object> user = new HashMap<>();
        int batchSize = 1;
        private boolean checkRetention = true;

        private Builder(String bootstrapServers, Inbox<?> inbox) {
            super(inbox);
            this.bootstrapServers = bootstrapServers;
        }

        @Override
        protected Builder self() {
            return this;
        }

        /**
         * Maximum number of events of a partition in one transaction (default 1). Larger batches are faster. When one event
         * fails, the events of the batch run again one by one, so handlers should have no effects outside the transaction.
         */
        public Builder batchSize(int events) {
            this.batchSize = events;
            return this;
        }

        /** Starts even if a topic keeps messages for longer than the inbox remembers them. */
        public Builder withoutRetentionCheck() {
            this.checkRetention = false;
            return this;
        }

        /** Sets a property of Kafka's consumer, such as {@code max.poll.records}. {@link #build} rejects those that would break a guarantee. */
        public Builder setting(String name, Object value) {
            user.put(requireNonNull(name, "name"), requireNonNull(value, "value"));
            return this;
        }

        public KafkaInbox build() {
            requireBetween("batchSize", batchSize, 1, 1_000);
            return new KafkaInbox(this, options(true));
        }
    }
}
