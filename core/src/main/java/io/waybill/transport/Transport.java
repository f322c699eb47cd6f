package io.waybill.transport;

import java.util.List;

/**
 * A client of one broker. Knows topics and messages, nothing of stores, retries or order policy: the relay pipelines across
 * keys, and hands over a key's next messages only when those before them are acknowledged.
 */
public interface Transport extends AutoCloseable {

    /**
     * Starts sending and returns; {@code delivery} is told the result exactly once, within a bounded time. Never throws
     * for what is wrong with a message or the broker: that is a {@link Failure}. May block for a bounded time when the
     * client's buffer is full. Called by several threads.
     */
    void send(Message message, Delivery delivery);

    /**
     * Starts sending messages of one key as {@link #send} does, together as far as this transport can keep them in line: a
     * message arrives only after all those before it have arrived, so when one fails, those behind it fail too. What
     * fails only because of another is {@link Failure.Kind#ABANDONED}.
     *
     * @param deliveries as many as messages
     * @return how many of them, from the first on, were taken; at least one. Only these are told a result
     */
    default int sendInOrder(List<Message> messages, List<Delivery> deliveries) {
        send(messages.get(0), deliveries.get(0));
        return 1;
    }

    /**
     * Nothing more comes before some of this is answered: what waits for company may leave. Returns at once and is never needed,
     * since nothing waits for long; it makes the way of few events shorter.
     */
    default void flushSoon() {}

    /** Returns when the broker answers; throws {@code WaybillException} with the reason and the remedy when it does not. */
    void probe();

    /** Waits a bounded time for what is being sent, then closes the client. */
    @Override
    void close();
}
