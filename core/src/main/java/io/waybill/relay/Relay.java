package io.waybill.relay;

import io.waybill.envelope.Envelope;
import io.waybill.store.OutboxStore;
import io.waybill.transport.Transport;
import java.time.Duration;

/** Skeleton. */
public final class Relay implements AutoCloseable {
    public static Builder builder(OutboxStore store, Transport transport) {
        return new Builder();
    }

    public String name() {
        throw new UnsupportedOperationException();
    }

    /** Begins to publish on its own threads and returns. */
    public void start() {}

    /** Publishes what is pending in the lanes that it can get, returns how many events were published. */
    public long runOnce() {
        throw new UnsupportedOperationException();
    }

    /** Something was committed: look now instead of at the next poll. */
    public void hint() {}

    /** Settles what is in flight, hands its lanes over and ends. The store and the transport stay open. */
    @Override
    public void close() {}

    /** Settings with their defaults. */
    public static final class Builder {
        public Builder name(String name) {
            return this;
        }

        public Builder envelope(Envelope envelope) {
            return this;
        }

        public Builder batchSize(int events) {
            return this;
        }

        public Builder workers(int threads) {
            return this;
        }

        public Builder pollEvery(Duration interval) {
            return this;
        }

        public Builder idleLimit(Duration longestPause) {
            return this;
        }

        public Builder lease(Duration lease) {
            return this;
        }

        public Builder retry(RetryPolicy policy) {
            return this;
        }

        public Builder onDeadLetter(OnDeadLetter decision) {
            return this;
        }

        public Builder retention(Duration age) {
            return this;
        }

        public Builder listener(RelayListener listener) {
            return this;
        }

        public Relay build() {
            return new Relay();
        }
    }
}
