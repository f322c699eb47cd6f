package io.waybill.server.http.api;

import io.waybill.WaybillException;
import io.waybill.admin.Action;
import io.waybill.internal.LogText;
import io.waybill.server.http.access.ClientAddress;
import io.waybill.server.http.outbox.ServedOutbox;
import io.waybill.server.http.overview.OverviewRoutes;
import io.waybill.server.http.request.Routes;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The API below {@code /api/v1}. */
public final class Api implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Api.class);

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
        routes.onRefusal((context, caller, reason) -> {
            String[] path = context.path().split("/", -1);
            LOG.warn("Refused {} {} of {}: {}", context.method(), LogText.oneLine(context.path()), LogText.oneLine(caller.name()), reason);
            if (path.length > 5 && path[3].equals("outboxes")) {
                try {
                    outboxes.find(path[4])
                            .flatMap(ServedOutbox::actions)
                            .ifPresent(actions -> actions.recordRefusal(
                                    path[path.length - 1],
                                    shortened(String.join("/", List.of(path).subList(5, path.length))),
                                    new Action(caller.name(), reason, null, addresses.of(context))));
                } catch (WaybillException e) {
                    LOG.warn("Cannot record a refused action: {}", LogText.oneLine(e.getMessage()));
                }
            }
        });
    }

    private static String shortened(String text) {
        return text.length() > 200 ? text.substring(0, 200) : text;
    }

    @Override
    public void close() {
        overviews.close();
    }
}
