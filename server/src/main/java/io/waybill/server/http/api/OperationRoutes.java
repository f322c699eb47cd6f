package io.waybill.server.http.api;

import io.waybill.admin.Action;
import io.waybill.admin.BulkOperation;
import io.waybill.admin.EventFilter;
import io.waybill.server.http.request.Access;
import io.waybill.server.http.request.Body;
import io.waybill.server.http.request.Call;
import io.waybill.server.http.request.Refusal;
import io.waybill.server.http.request.Refusal.Kind;
import io.waybill.server.http.request.Routes;
import java.util.Locale;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/** Bulk operations: the draft, its confirmation, its progress and its results. */
final class OperationRoutes {
    private static final String OPERATIONS = "/api/v1/outboxes/{o}/operations";
    private static final int LARGEST_RATE = 10_000;

    private final Outboxes outboxes;
    private final Requests requests;

    OperationRoutes(Outboxes outboxes, Requests requests) {
        this.outboxes = outboxes;
        this.requests = requests;
    }

    void addTo(Routes routes) {
        routes.get(OPERATIONS, Access.VIEW, this::list)
                .post(OPERATIONS, Access.ACT, this::draft)
                .get(OPERATIONS + "/{id}", Access.VIEW, call -> call.json(json(operation(call))))
                .get(OPERATIONS + "/{id}/results", Access.VIEW, this::results)
                .post(
                        OPERATIONS + "/{id}/confirm",
                        Access.ACT,
                        call -> call.json(
                                json(outboxes.bulk(call).confirm(operation(call).id(), requests.onlyAction(call)))))
                .post(
                        OPERATIONS + "/{id}/cancel",
                        Access.ACT,
                        call -> call.json(
                                json(outboxes.bulk(call).cancel(operation(call).id(), requests.onlyAction(call)))));
    }

    private BulkOperation operation(Call call) {
        return outboxes.bulk(call)
                .operation(call.id())
                .orElseThrow(() -> Refusal.of(Kind.NOT_FOUND, "There is no bulk operation " + call.id() + "."));
    }

    private void list(Call call) {
        call.json(Requests.page(
                outboxes.bulk(call).operations(Requests.cursor(call), Requests.limit(call)), OperationRoutes::json));
    }

    private void draft(Call call) {
        Body body = call.body();
        Action action = requests.action(call, body);
        String name = body.text("action", 20);
        BulkOperation.Kind kind = Stream.of(BulkOperation.Kind.values())
                .filter(known -> label(known).equals(name))
                .findFirst()
                .orElseThrow(() -> Refusal.invalid("action", "The field action must be replay, discard or retry."));
        EventFilter filter = Requests.filter(body.object("filter"));
        int rate = body.number("ratePerSecond", 0, LARGEST_RATE).orElse(0);
        body.requireNoMore();
        call.json(201, json(outboxes.bulk(call).draft(kind, filter, rate, action)));
    }

    private void results(Call call) {
        call.json(Requests.page(
                outboxes.bulk(call).results(operation(call).id(), Requests.cursor(call), Requests.limit(call)),
                result -> Requests.object()
                        .put("eventId", result.event().toString())
                        .put("outcome", result.outcome().name())
                        .put("detail", result.detail())));
    }

    private static String label(BulkOperation.Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    private static ObjectNode json(BulkOperation operation) {
        ObjectNode json = Requests.object().put("id", operation.id().toString()).put("action", label(operation.kind()));
        json.set("filter", Requests.json(operation.filter()));
        return json.put("actor", operation.actor())
                .put("reason", operation.reason())
                .put("createdAt", operation.createdAt().toString())
                .put("state", operation.state().name())
                .put("total", operation.total())
                .put("totalAtLeast", operation.total() >= BulkOperation.MOST_COUNTED)
                .put("done", operation.done())
                .put("failed", operation.failed())
                .put("skipped", operation.skipped())
                .put("arrivedSince", operation.arrivedSince())
                .put("ratePerSecond", operation.ratePerSecond())
                .put(
                        "endedAt",
                        operation.endedAt() == null ? null : operation.endedAt().toString())
                .put("error", operation.error());
    }
}
