package io.waybill.rabbitmq;

import static java.util.Objects.requireNonNull;

import io.waybill.inbox.Inbox;
import io.waybill.inbox.internal.consumer.ConsumerOptions;
import io.waybill.inbox.internal.consumer.SubscriptionLoop;
import org.jspecify.annotations.Nullable;

/**
 * Consumes a RabbitMQ queue and passes its events to an inbox. Events of a key are handled in order, several keys in parallel. A message is
 * acknowledged after the database has committed. The inbox keeps retries, parked events and dead letters; a message is requeued only if
 * the connection ends before the message is handled.
 *
 * <p>The queue is a durable quorum queue with a single active consumer; it is created and bound if it is missing. A group can have any
 * number of consumers: one is active, and another one takes over when it stops.
 */
public final class RabbitInbox implements AutoCloseable {
    private final SubscriptionLoop loop;

    private RabbitInbox(Builder builder, ConsumerOptions options) {
        this.loop = new QueueSource(builder, options).loop();
    }

    /** @param url {@code rabbitmq://user:password@host:port/vhost} */
    public static Builder builder(String url, Inbox<?> inbox) {
        return new Builder(RabbitAddress.parse(requireNonNull(url, "url")), requireNonNull(inbox, "inbox"));
    }

    /**
     * Starts consuming on background threads, and starts the retries of the inbox. If the broker is down, the consumer tries to
     * connect until it is up.
     */
    public synchronized void start() {
        loop.start();
    }

    /** Returns whether the consumer is started and neither closed nor failed; true also while the broker is unreachable. */
    public boolean isRunning() {
        return loop.isRunning();
    }

    /** Waits for running handlers and releases the queue. Also closes the inbox, but not its store. */
    @Override
    public synchronized void close() {
        loop.stop();
    }

    /** All settings are optional. */
    public static final class Builder extends ConsumerOptions.Builder<Builder> {
        final RabbitAddress address;

        @Nullable
        String queue;

        String exchange = "waybill";
        boolean existing;
        boolean exclusive;
        int batchSize = 1;
        int prefetch = 200;

        private Builder(RabbitAddress address, Inbox<?> inbox) {
            super(inbox);
            this.address = address;
        }

        @Override
        protected Builder self() {
            return this;
        }

        /** The queue to consume (default: the name of the group). It is created as a quorum queue and bound to each topic. */
        public Builder queue(String name) {
            this.queue = requireNonNull(name, "name");
            return this;
        }

        /**
         * Consumes an existing queue of any type exclusively, without declaring or binding it. While this consumer is connected,
         * RabbitMQ refuses all other consumers of the queue; consumers of Waybill retry until they are accepted.
         */
        public Builder existingQueue(String name) {
            this.existing = true;
            this.exclusive = true;
            return queue(name);
        }

        /** Consumes an existing queue that was declared with {@code x-single-active-consumer}, without declaring or binding it. */
        public Builder existingSingleActiveQueue(String name) {
            this.existing = true;
            this.exclusive = false;
            return queue(name);
        }

        /** The exchange that the relay publishes to (default {@code waybill}). */
        public Builder exchange(String name) {
            this.exchange = requireNonNull(name, "name");
            return this;
        }

        /**
         * Maximum number of events in one transaction (default 1). Larger batches are faster. When one event fails, the events of
         * the batch run again one by one, so handlers should have no effects outside the transaction.
         */
        public Builder batchSize(int events) {
            this.batchSize = events;
            return this;
        }

        /** Maximum number of unacknowledged messages of this consumer (default 200). */
        public Builder prefetch(int messages) {
            this.prefetch = messages;
            return this;
        }

        public RabbitInbox build() {
            requireBetween("batchSize", batchSize, 1, 1_000);
            requireBetween("prefetch", prefetch, 1, 65_535);
            return new RabbitInbox(this, options(!existing));
        }
    }
}
