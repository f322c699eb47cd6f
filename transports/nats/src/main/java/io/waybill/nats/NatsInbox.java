package io.waybill.nats;

import static java.util.Objects.requireNonNull;

import io.waybill.WaybillException;
import io.waybill.inbox.Inbox;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/**
 * Feeds an inbox from a JetStream stream, through a durable consumer of the group's name, which is created when it is missing. Each
 * message is acknowledged after the database has committed. Retries, parked events and dead letters are the inbox's.
 *
 * <p>JetStream delivers a message again when its consumer is gone, and meanwhile the messages behind it to others. So only one
 * is out at a time unless {@link Builder#inFlight} says otherwise: that keeps the order, with any number of consumers.
 */
public final class NatsInbox implements AutoCloseable {
    private final StreamSource source;
    private final boolean checkRetention;

    private NatsInbox(Builder builder) {
        this.source = new StreamSource(builder);
        this.checkRetention = builder.checkRetention;
    }

    /** @param url {@code nats://user:password@host:port}; several of them with commas between */
    public static Builder builder(String url, Inbox<?> inbox) {
        return new Builder(requireNonNull(url, "url"), requireNonNull(inbox, "inbox"));
    }

    /**
     * Begins to consume on its own threads, and to try what is due in the inbox. A server that is down is waited for.
     *
     * @throws WaybillException when the inbox forgets sooner than the stream does; see {@link Builder#withoutRetentionCheck}
     */
    public synchronized void start() {
        if (checkRetention) {
            source.checkRetention();
        }
        source.loop().start();
    }

    /** Whether it was started and works or waits for its broker: neither closed nor ended by an error, which the log names. */
    public boolean isRunning() {
        return source.loop().isRunning();
    }

    /** Finishes what is being handled and gives the rest back. Closes the inbox too, not its store. */
    @Override
    public synchronized void close() {
        source.loop().stop();
    }

    /** Settings with their defaults; nothing has to be set. */
    public static final class Builder {
        final String url;
        final Inbox<?> inbox;
        String stream = "waybill";
        List<String> topics;
        int inFlight = 1;
        int workers = 4;
        Duration ackWait = Duration.ofSeconds(30);
        Duration handOverLimit = Duration.ofSeconds(20);
        boolean checkRetention = true;

        private Builder(String url, Inbox<?> inbox) {
            this.url = url;
            this.inbox = inbox;
            this.topics = List.copyOf(inbox.eventTypes());
        }

        /** Where the relay publishes: {@code waybill}. */
        public Builder stream(String name) {
            this.stream = requireNonNull(name, "name");
            return this;
        }

        /** What to read; the event types that have handlers unless set. */
        public Builder topics(Collection<String> topics) {
            this.topics = List.copyOf(topics);
            return this;
        }

        public Builder topics(String... topics) {
            return topics(List.of(topics));
        }

        /**
         * Most messages of the group that are out and not acknowledged: 1. More are faster, keys side by side; but when a consumer
         * dies, what it held comes after what others got meanwhile, so that a key's events may be applied out of order. Use more with
         * a {@code VersionGuard}, or where order does not matter.
         */
        public Builder inFlight(int messages) {
            this.inFlight = messages;
            return this;
        }

        /** Keys that are worked at the same time when several messages are out: 4. */
        public Builder workers(int threads) {
            this.workers = threads;
            return this;
        }

        /** After how long without a sign of life a message goes to another consumer: 30 s. Applies to a new consumer group. */
        public Builder ackWait(Duration wait) {
            this.ackWait = requireNonNull(wait, "wait");
            return this;
        }

        /** How long a handler may take to finish when the consumer is closed: 20 s. */
        public Builder handOverLimit(Duration limit) {
            this.handOverLimit = requireNonNull(limit, "limit");
            return this;
        }

        /** Starts even when the stream keeps messages longer than the inbox remembers them. */
        public Builder withoutRetentionCheck() {
            this.checkRetention = false;
            return this;
        }

        public NatsInbox build() {
            if (topics.isEmpty()) {
                throw new WaybillException("Group " + inbox.group() + " reads no topics. Name one.");
            }
            if (inFlight < 1 || inFlight > 1_000) {
                throw new WaybillException("inFlight must be between 1 and 1000, not " + inFlight + ".");
            }
            if (workers < 1 || workers > 64) {
                throw new WaybillException("workers must be between 1 and 64, not " + workers + ".");
            }
            if (ackWait.compareTo(Duration.ofSeconds(1)) < 0) {
                throw new WaybillException("ackWait must be a second or more, not " + ackWait + ".");
            }
            return new NatsInbox(this);
        }
    }
}
