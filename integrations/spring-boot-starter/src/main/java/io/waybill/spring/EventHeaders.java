package io.waybill.spring;

import java.util.Map;

/**
 * Headers for every event that is appended, as a bean: the request's correlation id, its {@code traceparent}, its user. Asked on
 * the thread that appends; headers that an event has itself win. {@link io.waybill.Headers} has the names that Waybill understands.
 */
@FunctionalInterface
public interface EventHeaders {
    Map<String, String> current();
}
