package io.waybill.server.http;

import io.waybill.admin.OutboxStatus;
import io.waybill.saga.admin.SagaTotals;
import io.waybill.server.http.outbox.ServedOutbox;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The content of the HTTP server. Each supplier is called once per request.
 *
 * @param sagas empty if the database has no sagas
 * @param outboxes the outboxes of the API
 */
public record HttpContent(
        Supplier<List<HealthCheck>> checks,
        Supplier<OutboxStatus> status,
        Supplier<Optional<SagaTotals>> sagas,
        Supplier<String> metrics,
        List<ServedOutbox> outboxes) {
    public HttpContent {
        outboxes = List.copyOf(outboxes);
    }
}
