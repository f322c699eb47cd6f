package io.waybill.server.http.api;

import io.waybill.server.http.access.ClientAddress;
import io.waybill.server.http.outbox.ServedOutbox;
import io.waybill.server.http.overview.OverviewRoutes;
import io.waybill.server.http.request.Routes;
import java.util.List;

/** The API below {@code /api/v1}. */
public final class Api implements AutoCloseable {
    private final Mask mask;
    private final Outboxes outboxes;
    private final Requests requests;
    private final ClientAddress addresses;
    private final OverviewRoutes overviews;

    public Api(Mask mask, List<ServedOutbox> outboxes, ClientAddress addresses) {
        this.mask = mask;
        this.outboxes = new Outboxes(outboxes);
        this.addresses = addresses;
        this.requests = new Requests(addresses);
        this.overviews = new OverviewRoutes(outboxes, this.outboxes::of);
    }

    public void addTo(Routes routes) {
        new OutboxRoutes(outboxes).addTo(routes);
        overviews.addTo(routes);
        new EventRoutes(outboxes, requests, mask).addTo(routes);
        new KeyRoutes(outboxes, requests).addTo(routes);
        new PauseRoutes(outboxes, requests).addTo(routes);
        new InboxRoutes(outboxes, requests, mask).addTo(routes);
        new SagaRoutes(outboxes, requests, mask).addTo(routes);
        new OperationRoutes(outboxes, requests).addTo(routes);
        new AuditRoutes(outboxes).addTo(routes);
        routes.onRefusal(new RefusedActions(outboxes, addresses));
    }

    @Override
    public void close() {
        overviews.close();
    }
}
