package io.waybill.inbox.internal.consumer;

import static java.util.Objects.requireNonNull;

import io.waybill.WaybillException;
import io.waybill.inbox.Inbox;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** The settings that consumers of all brokers share. */
public record ConsumerOptions(Inbox<?> inbox, List<String> topics, int workers, Duration handOverLimit) {

    /**
     * The part of a consumer's builder that is the same for all brokers.
     *
     * @param <B> the builder of the broker's consumer
     */
    public abstract static class Builder<B extends Builder<B>> {
        private final Inbox<?> inbox;
        private List<String> topics;
        private int workers = 4;
        private Duration handOverLimit = Duration.ofSeconds(20);

        protected Builder(Inbox<?> inbox) {
            this.inbox = inbox;
            this.topics = List.copyOf(inbox.eventTypes());
        }

        /** Topics to read (default: the event types that have handlers, because the topic of an event is its type by default). */
        public B topics(Collection<String> topics) {
            this.topics = List.copyOf(topics);
            return self();
        }

        public B topics(String... topics) {
            return topics(List.of(topics));
        }

        /** Number of threads that run handlers (default 4). Each needs a database connection, and the inbox needs one more. */
        public B workers(int threads) {
            this.workers = threads;
            return self();
        }

        /** How long to wait for running handlers when this consumer stops or loses its messages to another one (default 20 s). */
        public B handOverLimit(Duration limit) {
            this.handOverLimit = requireNonNull(limit, "limit");
            return self();
        }

        protected abstract B self();

        /** @param topicsRequired whether to reject an empty list of topics */
        protected final ConsumerOptions options(boolean topicsRequired) {
            if (topicsRequired && topics.isEmpty()) {
                throw new WaybillException(
                        "Group " + inbox.group() + " reads no topics. Add a handler to the inbox, or set topics.");
            }
            requireBetween("workers", workers, 1, 64);
            return new ConsumerOptions(inbox, topics, workers, handOverLimit);
        }

        protected static void requireBetween(String name, long value, long min, long max) {
            if (value < min || value > max) {
                throw new WaybillException(name + " must be between " + min + " and " + max + ", not " + value + ".");
            }
        }
    }
}
