package io.waybill.spring;

import java.util.Map;

/**
 * A bean that adds headers to every appended event: the request's correlation id, its {@code traceparent}, its user. The outbox
 * calls it on the appending thread. Headers that the event has already are kept. {@link io.waybill.Headers} has the names that
 * Waybill understands.
 */
@FunctionalInterface
public interface EventHeaders {
    /** Returns the headers for an event that is appended now. */
    Map<String, String> current();
}
