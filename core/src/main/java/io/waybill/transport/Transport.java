package io.waybill.transport;

import java.util.List;

/**
 * A client of one broker. A transport knows topics and messages, but not stores, retries or ordering rules: the relay sends different
 * keys in parallel, and sends the next messages of a key only after those before them were acknowledged.
 */
public interface Transport extends AutoCloseable {

    /**
     * Starts sending and returns. {@code delivery} receives the result exactly once, within a bounded time. Problems of the message or
     * the broker are reported as a {@link Failure}, never thrown. May block for a bounded time if the buffer of the client is full.
     * Called by several threads.
     */
    void send(Message message, Delivery delivery);

    /**
     * Starts sending messages of one key like {@link #send}, as many at once as this transport can keep in order: a message is stored
     * only after all those before it, so if one fails, those behind it fail as well. A message that fails only because of another one
     * is {@link Failure.Kind#ABANDONED}.
     *
     * @param deliveries one for each message
     * @return the number of accepted messages, counted from the first; at least one. Only these receive a result
     */
    default int sendInOrder(List<Message> messages, List<Delivery> deliveries) {
        send(messages.get(0), deliveries.get(0));
        return 1;
    }

    /**
     * A hint that no more messages will follow soon: send buffered messages now. Returns immediately. Optional; it lowers the latency
     * of small batches.
     */
    default void flushSoon() {}

    /**
     * Returns if the broker answers.
     *
     * @throws io.waybill.WaybillException with the reason and the remedy, if the broker does not answer
     */
    void probe();

    /** Waits a bounded time for messages in flight, then closes the client. */
    @Override
    void close();
}
