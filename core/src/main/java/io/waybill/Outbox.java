package io.waybill;

import java.util.Collection;
import java.util.List;

/**
 * Appends events in the transaction of the caller.
 *
 * <p>The outbox never begins, commits or rolls back a transaction. If the transaction of the caller commits, its events are delivered;
 * if it rolls back, they are never published.
 *
 * @param <T> the type of a transaction: a JDBC {@code Connection}, a MongoDB client session
 */
public interface Outbox<T> {

    /**
     * @throws WaybillException if no transaction is active or an event cannot be stored; the caller should roll back
     */
    void append(T transaction, Collection<Event> events);

    default void append(T transaction, Event event) {
        append(transaction, List.of(event));
    }
}
