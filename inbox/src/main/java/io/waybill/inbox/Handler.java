package io.waybill.inbox;

import io.waybill.Event;

/**
 * What a consumer does with an event. Whatever it writes through the transaction commits together with the mark that the event
 * was processed, or not at all; so it must not commit, roll back or close it.
 *
 * @param <T> what a transaction is here: a JDBC {@code Connection}, a MongoDB client session
 */
@FunctionalInterface
public interface Handler<T> {
    /** Throws what it likes: the transaction rolls back, and the error's {@link FailureKind} decides what comes next. */
    void handle(T transaction, Event event) throws Exception;
}
