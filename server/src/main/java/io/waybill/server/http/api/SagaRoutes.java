package io.waybill.server.http.api;

import io.waybill.admin.Action;
import io.waybill.saga.SagaStatus;
import io.waybill.saga.admin.RequestOutcome;
import io.waybill.saga.admin.SagaActions;
import io.waybill.saga.admin.SagaDetails;
import io.waybill.saga.admin.SagaFilter;
import io.waybill.saga.admin.SagaRequest;
import io.waybill.saga.picture.SagaOutline;
import io.waybill.saga.store.SagaRecord;
import io.waybill.saga.store.SagaSignal.Kind;
import io.waybill.server.http.json.SagasJson;
import io.waybill.server.http.request.Access;
import io.waybill.server.http.request.Body;
import io.waybill.server.http.request.Call;
import io.waybill.server.http.request.Permission;
import io.waybill.server.http.request.Refusal;
import io.waybill.server.http.request.Routes;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.NullNode;
import tools.jackson.databind.node.ObjectNode;

/** Sagas, and requests to their engines. */
final class SagaRoutes {
    private static final String SAGAS = "/api/v1/outboxes/{o}/sagas";
    private static final int LONGEST_HISTORY = 1_000;
    private static final int LONGEST_STEP = 255;
    private static final int LARGEST_DATA = 1024 * 1024;

    private final Outboxes outboxes;
    private final Requests requests;
    private final Mask mask;
    private final RecentActions recent = new RecentActions();

    SagaRoutes(Outboxes outboxes, Requests requests, Mask mask) {
        this.outboxes = outboxes;
        this.requests = requests;
        this.mask = mask;
    }

    void addTo(Routes routes) {
        routes.get(SAGAS, Access.VIEW, this::list)
                .get(SAGAS + "/stats", Access.VIEW, this::statistics)
                .get(SAGAS + "/{id}", Access.VIEW, this::show)
                .post(SAGAS + "/{id}/retry", Access.ACT, call -> request(call, Kind.RETRY))
                .post(SAGAS + "/{id}/skip", Access.ACT, call -> request(call, Kind.SKIP))
                .post(SAGAS + "/{id}/resolve", Access.ACT, call -> request(call, Kind.RESOLVE))
                .post(SAGAS + "/{id}/refuse", Access.ACT, call -> request(call, Kind.REFUSE))
                .post(SAGAS + "/{id}/cancel", Access.ACT, call -> request(call, Kind.CANCEL));
    }

    private void list(Call call) {
        int limit = Requests.limit(call);
        @Nullable UUID after = call.queryId("cursor").orElse(null);
        SagaFilter filter = SagaFilter.all(limit)
                .name(call.query("name").orElse(null))
                .statuses(call.queryChoices("status", SagaStatus.class))
                .keyPrefix(call.query("key").orElse(null))
                .olderThan(call.queryDuration("olderThan").orElse(null))
                .stuckOnly(call.queryFlag("stuck"))
                .after(after);
        List<SagaRecord> sagas = outboxes.of(call)
                .sagas()
                .map(found -> found.view().list(filter))
                .orElse(List.of());
        @Nullable
        String next =
                sagas.size() < limit ? null : sagas.get(sagas.size() - 1).id().toString();
        call.json(Requests.list(sagas, SagasJson::saga).put("next", next));
    }

    private void statistics(Call call) {
        call.json(Requests.list(
                outboxes.of(call)
                        .sagas()
                        .map(found -> found.view().statistics())
                        .orElse(List.of()),
                SagasJson::statistics));
    }

    private static SagaRecord saga(SagaActions sagas, Call call) {
        UUID id = call.id();
        return sagas.view()
                .find(id)
                .orElseThrow(() -> Refusal.of(
                        Refusal.Kind.NOT_FOUND,
                        "There is no saga " + id + ". It may have been removed after its retention time."));
    }

    private void show(Call call) {
        SagaActions sagas = outboxes.sagas(call);
        SagaDetails details = SagaDetails.of(sagas.view(), saga(sagas, call), LONGEST_HISTORY);
        boolean payloads = call.permits(Permission.PAYLOAD);
        ObjectNode json = SagasJson.details(details);
        // The data is text, so that numbers keep their digits.
        json.put("data", payloads ? mask.apply(details.saga().data()).text() : null);
        if (!payloads) {
            for (JsonNode entry : json.get("history")) {
                ((ObjectNode) entry).put("detail", (String) null);
            }
        }
        @Nullable SagaOutline outline = details.outline();
        json.set("outline", outline == null ? NullNode.getInstance() : outline(outline));
        call.json(json);
    }

    private static ObjectNode outline(SagaOutline outline) {
        ObjectNode json = Requests.object()
                .put("name", outline.name())
                .put("version", outline.version())
                .put("atomic", outline.atomic());
        ArrayNode steps = json.putArray("steps");
        for (SagaOutline.Step step : outline.steps()) {
            ObjectNode one = steps.addObject()
                    .put("name", step.name())
                    .put("kind", step.kind())
                    .put("role", step.role().name());
            ArrayNode after = one.putArray("after");
            step.after().forEach(after::add);
            one.put("timeoutMillis", step.timeoutMillis())
                    .put(
                            "compensation",
                            step.compensation() == null
                                    ? null
                                    : step.compensation().name());
        }
        ArrayNode layers = json.putArray("layers");
        for (List<String> layer : outline.layers()) {
            ArrayNode names = layers.addArray();
            layer.forEach(names::add);
        }
        return json;
    }

    private void request(Call call, Kind kind) {
        SagaActions sagas = outboxes.sagas(call);
        SagaRecord saga = saga(sagas, call);
        Body body = kind == Kind.RESOLVE ? call.body(LARGEST_DATA) : call.body();
        Action action = requests.action(call, body);
        @Nullable
        String step = kind == Kind.CANCEL
                ? null
                : body.optionalText("step", LONGEST_STEP).orElse(null);
        @Nullable
        String data =
                kind == Kind.RESOLVE ? body.optionalText("data", LARGEST_DATA).orElse(null) : null;
        body.requireNoMore();
        call.json(recent.once(outboxes.of(call).name() + " " + action.id(), () -> {
            SagaRequest request = sagas.request(saga, kind, step, data, action.actor(), action.reason());
            RequestOutcome outcome = sagas.outcome(request);
            return Requests.object()
                    .put("action", kind.name().toLowerCase(Locale.ROOT))
                    .put("actionId", action.id())
                    .put("saga", saga.id().toString())
                    .put("request", request.id())
                    .put("step", request.step())
                    .put("state", outcome.state().name())
                    .put("repeated", false)
                    .put(
                            "detail",
                            outcome.detail().isEmpty()
                                    ? "An engine applies the request, usually within a second."
                                    : outcome.detail());
        }));
    }
}
