package io.waybill.inbox;

import io.waybill.Event;

/**
 * Applies an event. The changes that a handler makes through the transaction are committed together with the mark that the event was
 * processed, or not at all. The handler must not commit, roll back or close the transaction.
 *
 * @param <T> the type of a transaction: a JDBC {@code Connection}, a MongoDB client session
 */
@FunctionalInterface
public interface Handler<T> {
    /** Any exception rolls the transaction back. Its {@link FailureKind} decides whether the event is retried. */
    void handle(T transaction, Event event) throws Exception;
}
