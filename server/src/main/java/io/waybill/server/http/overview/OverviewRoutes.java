package io.waybill.server.http.overview;

import io.waybill.WaybillException;
import io.waybill.internal.DaemonThreads;
import io.waybill.server.http.outbox.ServedOutbox;
import io.waybill.server.http.request.Access;
import io.waybill.server.http.request.Call;
import io.waybill.server.http.request.Refusal;
import io.waybill.server.http.request.Refusal.Kind;
import io.waybill.server.http.request.Routes;
import io.waybill.time.Ticker;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import tools.jackson.databind.node.ObjectNode;

/** The overview of an outbox, once and as a stream. */
public final class OverviewRoutes implements AutoCloseable {
    private static final int MOST_VIEWERS = 200;

    private final Map<String, Sampler> samplers = new LinkedHashMap<>();
    private final Function<Call, ServedOutbox> outbox;

    /** The threads that write to viewers. A slow viewer occupies one of them. */
    private final ExecutorService writers = Executors.newCachedThreadPool(DaemonThreads.numbered("waybill-stream"));

    /** @param outbox finds the outbox that a request names */
    public OverviewRoutes(Iterable<ServedOutbox> outboxes, Function<Call, ServedOutbox> outbox) {
        this.outbox = outbox;
        outboxes.forEach(served -> samplers.put(served.name(), new Sampler(served, Ticker.SYSTEM)));
    }

    public void addTo(Routes routes) {
        routes.get("/api/v1/outboxes/{o}/overview", Access.VIEW, call -> call.json(overview(call)))
                .get("/api/v1/outboxes/{o}/stream", Access.VIEW, this::stream);
    }

    private Sampler sampler(Call call) {
        return Objects.requireNonNull(samplers.get(outbox.apply(call).name()));
    }

    private ObjectNode overview(Call call) {
        return OverviewJson.of(sampler(call).current());
    }

    private void stream(Call call) {
        Sampler sampler = sampler(call);
        int all = samplers.values().stream().mapToInt(Sampler::viewers).sum();
        if (all >= MOST_VIEWERS) {
            throw Refusal.of(Kind.TOO_MANY, MOST_VIEWERS + " streams are open already.", "Poll the overview instead.")
                    .header("Retry-After", "30");
        }
        EventStream.open(call, sampler, writers);
    }

    static ObjectNode problem(WaybillException problem) {
        return Refusal.of(Kind.UNAVAILABLE, String.valueOf(problem.getMessage()))
                .json();
    }

    @Override
    public void close() {
        samplers.values().forEach(Sampler::close);
        writers.shutdownNow();
    }
}
