package io.waybill.rabbitmq;

import static java.util.Objects.requireNonNull;

import io.waybill.WaybillException;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.internal.SubscriptionLoop;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Feeds an inbox from one queue of RabbitMQ: events of a key one after the other, several keys side by side, each message
 * acknowledged after the database has committed. Retries, parked events and dead letters are the inbox's; nothing goes back to the
 * queue but what was not begun when the connection ended.
 *
 * <p>The queue is a durable quorum queue with a single active consumer, created and bound when it is missing. Start as many as you
 * like in one group: one of them works, the next one takes over when it goes.
 */
public final class RabbitInbox implements AutoCloseable {
    private final SubscriptionLoop loop;

    private RabbitInbox(Builder builder) {
        this.loop = new QueueSource(builder).loop();
    }

    /** @param url {@code rabbitmq://user:password@host:port/vhost} */
    public static Builder builder(String url, Inbox<?> inbox) {
        return new Builder(RabbitAddress.parse(requireNonNull(url, "url")), requireNonNull(inbox, "inbox"));
    }

    /** Begins to consume on its own threads, and to try what is due in the inbox. A broker that is down is waited for. */
    public synchronized void start() {
        loop.start();
    }

    /** Whether it was started and works or waits for its broker: neither closed nor ended by an error, which the log names. */
    public boolean isRunning() {
        return loop.isRunning();
    }

    /** Finishes what is being handled and lets the next consumer have the queue. Closes the inbox too, not its store. */
    @Override
    public synchronized void close() {
        loop.stop();
    }

    /** Settings with their defaults; nothing has to be set. */
    public static final class Builder {
        final RabbitAddress address;
        final Inbox<?> inbox;

        @Nullable
        String queue;

        String exchange = "waybill";
        List<String> topics;
        boolean existing;
        boolean exclusive;
        int workers = 4;
        int batchSize = 1;
        int prefetch = 200;
        Duration handOverLimit = Duration.ofSeconds(20);

        private Builder(RabbitAddress address, Inbox<?> inbox) {
            this.address = address;
            this.inbox = inbox;
            this.topics = List.copyOf(inbox.eventTypes());
        }

        /** The queue's name; the group's unless set. */
        public Builder queue(String name) {
            this.queue = requireNonNull(name, "name");
            return this;
        }

        /** Takes the queue as it is, whatever its kind, exclusively; creates and binds nothing. The next consumer waits for its turn. */
        public Builder existingQueue(String name) {
            this.existing = true;
            this.exclusive = true;
            return queue(name);
        }

        /** Takes a queue that was declared with {@code x-single-active-consumer}, as it is; creates and binds nothing. */
        public Builder existingSingleActiveQueue(String name) {
            this.existing = true;
            this.exclusive = false;
            return queue(name);
        }

        /** Where the relay publishes: {@code waybill}. */
        public Builder exchange(String name) {
            this.exchange = requireNonNull(name, "name");
            return this;
        }

        /** What to bind the queue for, wildcards included; the event types that have handlers unless set. */
        public Builder topics(Collection<String> topics) {
            this.topics = List.copyOf(topics);
            return this;
        }

        public Builder topics(String... topics) {
            return topics(List.of(topics));
        }

        /** Keys that are worked at the same time: 4. Each needs a database connection, and the inbox one more. */
        public Builder workers(int threads) {
            this.workers = threads;
            return this;
        }

        /**
         * Most events in one transaction: 1. More are faster; when one fails, all of them run again one by one, so handlers should
         * have no effects outside of the transaction.
         */
        public Builder batchSize(int events) {
            this.batchSize = events;
            return this;
        }

        /** Most messages that are here and not acknowledged: 200. */
        public Builder prefetch(int messages) {
            this.prefetch = messages;
            return this;
        }

        /** How long a handler may take to finish when the consumer is closed: 20 s. */
        public Builder handOverLimit(Duration limit) {
            this.handOverLimit = requireNonNull(limit, "limit");
            return this;
        }

        public RabbitInbox build() {
            if (topics.isEmpty() && !existing) {
                throw new WaybillException("Group " + inbox.group() + " reads no topics. Name one.");
            }
            between("workers", workers, 1, 64);
            between("batch size", batchSize, 1, 1_000);
            between("prefetch", prefetch, 1, 65_535);
            return new RabbitInbox(this);
        }

        private static void between(String what, int value, int least, int most) {
            if (value < least || value > most) {
                throw new WaybillException(
                        what + " must be between " + least + " and " + most + ", not " + value + ".");
            }
        }
    }
}
