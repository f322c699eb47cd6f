package io.waybill.transport;

/**
 * A client of one broker. Knows topics and messages, nothing of stores, retries or order policy: the relay hands over a
 * key's next message only when the one before it is acknowledged or given up on, and pipelines across keys.
 */
public interface Transport extends AutoCloseable {

    /**
     * Starts sending and returns; {@code delivery} is told the result exactly once, within a bounded time. Never throws
     * for what is wrong with a message or the broker: that is a {@link Failure}. May block for a bounded time when the
     * client's buffer is full. Called by several threads.
     */
    void send(Message message, Delivery delivery);

    /** Returns when the broker answers; throws {@code WaybillException} with the reason and the remedy when it does not. */
    void probe();

    /** Waits a bounded time for what is being sent, then closes the client. */
    @Override
    void close();
}
