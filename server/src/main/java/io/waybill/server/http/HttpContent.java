package io.waybill.server.http;

import io.waybill.server.http.outbox.ServedOutbox;
import java.util.List;
import java.util.function.Supplier;

/**
 * The content of the HTTP server.
 *
 * @param outboxes one without a name, or several that have names
 * @param metrics called once per request
 */
public record HttpContent(List<ServedOutbox> outboxes, Supplier<String> metrics) {
    public HttpContent {
        outboxes = List.copyOf(outboxes);
    }
}
