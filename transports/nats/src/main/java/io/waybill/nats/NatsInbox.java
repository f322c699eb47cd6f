package io.waybill.nats;

import static java.util.Objects.requireNonNull;

import io.waybill.WaybillException;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.internal.consumer.ConsumerOptions;
import java.time.Duration;

/**
 * Consumes a JetStream stream and passes its events to an inbox, through a durable consumer with the name of the group, which is created
 * if it is missing. A message is acknowledged after the database has committed. The inbox keeps retries, parked events and dead letters.
 *
 * <p>When a consumer crashes, JetStream redelivers its message only after {@link Builder#ackWait}, and delivers later messages to
 * other consumers in the meantime. So by default only one message of the group is in flight (see {@link Builder#inFlight}), which
 * preserves the order with any number of consumers.
 */
public final class NatsInbox implements AutoCloseable {
    private final StreamSource source;
    private final boolean checkRetention;

    private NatsInbox(Builder builder, ConsumerOptions options) {
        this.source = new StreamSource(builder, options);
        this.checkRetention = builder.checkRetention;
    }

    /** @param url {@code nats://user:password@host:port}; separate several with commas */
    public static Builder builder(String url, Inbox<?> inbox) {
        return new Builder(requireNonNull(url, "url"), requireNonNull(inbox, "inbox"));
    }

    /**
     * Starts consuming on background threads, and starts the retries of the inbox. If the server is down, the consumer tries to
     * connect until it is up.
     *
     * @throws WaybillException if the stream keeps messages for longer than the inbox remembers them; see {@link Builder#withoutRetentionCheck}
     */
    public synchronized void start() {
        if (checkRetention) {
            source.checkRetention();
        }
        source.loop().start();
    }

    /** Returns whether the consumer is started and neither closed nor failed; true also while the server is unreachable. */
    public boolean isRunning() {
        return source.loop().isRunning();
    }

    /** Waits for running handlers and returns unhandled messages to the stream. Also closes the inbox, but not its store. */
    @Override
    public synchronized void close() {
        source.loop().stop();
    }

    /** All settings are optional. */
    public static final class Builder extends ConsumerOptions.Builder<Builder> {
        final String url;
        String stream = "waybill";
        int inFlight = 1;
        Duration ackWait = Duration.ofSeconds(30);
        boolean checkRetention = true;

        private Builder(String url, Inbox<?> inbox) {
            super(inbox);
            this.url = url;
        }

        @Override
        protected Builder self() {
            return this;
        }

        /** The stream that the relay publishes to (default {@code waybill}). */
        public Builder stream(String name) {
            this.stream = requireNonNull(name, "name");
            return this;
        }

        /**
         * Maximum number of unacknowledged messages of the group (default 1). A higher number is faster, because several keys are
         * handled in parallel. But when a consumer crashes, its messages are redelivered after messages that other consumers have
         * received in the meantime, so events of a key may be applied out of order. Raise this limit only with a
         * {@code VersionGuard}, or where order does not matter.
         */
        public Builder inFlight(int messages) {
            this.inFlight = messages;
            return this;
        }

        /**
         * How long JetStream waits for an acknowledgement or a progress report before it delivers a message to another consumer
         * (default 30 s).
         */
        public Builder ackWait(Duration wait) {
            this.ackWait = requireNonNull(wait, "wait");
            return this;
        }

        /** Starts even if the stream keeps messages for longer than the inbox remembers them. */
        public Builder withoutRetentionCheck() {
            this.checkRetention = false;
            return this;
        }

        public NatsInbox build() {
            requireBetween("inFlight", inFlight, 1, 1_000);
            if (ackWait.compareTo(Duration.ofSeconds(1)) < 0) {
                throw new WaybillException("ackWait must be at least 1 s, not " + ackWait + ".");
            }
            return new NatsInbox(this, options(true));
        }
    }
}
