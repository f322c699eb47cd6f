package io.waybill;

import java.util.Collection;
import java.util.List;

/**
 * Appends events to the caller's own transaction.
 *
 * <p>The outbox never begins, commits or rolls back: when the caller's transaction commits, its events will be delivered;
 * when it does not, they never existed.
 *
 * @param <T> what a transaction is here: a JDBC {@code Connection}, a MongoDB client session
 */
public interface Outbox<T> {

    /**
     * @throws WaybillException when no transaction is active, or the event cannot be stored; the caller should roll back
     */
    void append(T transaction, Collection<Event> events);

    default void append(T transaction, Event event) {
        append(transaction, List.of(event));
    }
}
