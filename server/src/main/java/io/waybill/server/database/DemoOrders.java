package io.waybill.server.database;

import io.waybill.Event;
import java.util.function.LongFunction;

/** The orders of the small shop that {@code up --demo} runs. Every method may be called again after it has failed. */
public interface DemoOrders extends AutoCloseable {
    /** Creates the orders 1 to {@code count}, unless they exist. */
    void create(int count);

    /**
     * Changes an order and appends the event of the change, in one transaction.
     *
     * @param event takes the number of changes of this order
     * @param commit false to roll back the transaction
     */
    void change(long order, String state, String total, LongFunction<Event> event, boolean commit);

    /**
     * Inserts an event without Waybill's classes, as a service in any language can: only the broker checks the topic.
     *
     * @param most the limit: inserts nothing if the outbox already has this many events with the topic that were not discarded
     */
    void insert(Event event, int most);

    @Override
    void close();
}
