package io.waybill.server.http.api;

import io.waybill.Headers;
import io.waybill.admin.Action;
import io.waybill.admin.ActionResult;
import io.waybill.admin.Correction;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventRecord;
import io.waybill.admin.OutboxActions;
import io.waybill.admin.OutboxSearch;
import io.waybill.admin.Page;
import io.waybill.server.http.json.EventJson;
import io.waybill.server.http.request.Access;
import io.waybill.server.http.request.Body;
import io.waybill.server.http.request.Call;
import io.waybill.server.http.request.Permission;
import io.waybill.server.http.request.Refusal;
import io.waybill.server.http.request.Refusal.Kind;
import io.waybill.server.http.request.Routes;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Lists of events, one event, and actions on one event. */
final class EventRoutes {
    private static final String EVENTS = "/api/v1/outboxes/{o}/events";
    private static final int MOST_EXPORTED = 10_000;
    private static final int EXPORT_PAGE = 500;
    private static final int NEIGHBOURS = 5;
    private static final int LARGEST_EDIT = 4 * 1024 * 1024;
    private static final int MOST_HEADERS = 100;
    private static final int LONGEST_TOPIC = 255;
    private static final int LONGEST_HASH = 100;
    private static final List<String> COLUMNS = List.of(
            "id",
            "state",
            "type",
            "aggregateType",
            "key",
            "topic",
            "retryCount",
            "occurredAt",
            "createdAt",
            "nextAttemptAt",
            "settledAt",
            "lastError");

    private final Outboxes outboxes;
    private final Requests requests;
    private final Mask mask;

    EventRoutes(Outboxes outboxes, Requests requests, Mask mask) {
        this.outboxes = outboxes;
        this.requests = requests;
        this.mask = mask;
    }

    void addTo(Routes routes) {
        routes.get(EVENTS, Access.VIEW, this::list)
                .get(EVENTS + ".csv", Access.VIEW, call -> export(call, "csv", "text/csv", EventRoutes::csv))
                .get(
                        EVENTS + ".jsonl",
                        Access.VIEW,
                        call -> export(call, "jsonl", "application/jsonl", event -> EventJson.of(event) + "\n"))
                .get(EVENTS + "/{id}", Access.VIEW, this::show)
                .get(EVENTS + "/{id}/payload", Access.PAYLOAD, this::payload)
                .post(EVENTS + "/{id}/replay", Access.ACT, this::replay)
                .post(
                        EVENTS + "/{id}/discard",
                        Access.ACT,
                        call -> act(call, "discard", (actions, id, action) -> actions.discard(List.of(id), action)))
                .post(
                        EVENTS + "/{id}/retry",
                        Access.ACT,
                        call -> act(call, "retry", (actions, id, action) -> actions.retryNow(List.of(id), action)))
                .post(EVENTS + "/{id}/skip", Access.ACT, call -> act(call, "skip", OutboxActions::skip))
                .post(EVENTS + "/{id}/edit", Access.EDIT, this::edit);
    }

    private void list(Call call) {
        Page<EventRecord> page =
                outboxes.search(call).events(Requests.filter(call), Requests.cursor(call), Requests.limit(call));
        call.json(Requests.page(page, EventJson::of));
    }

    private void export(Call call, String ending, String type, Function<EventRecord, String> line) {
        OutboxSearch search = outboxes.search(call);
        EventFilter filter = Requests.filter(call);
        // The first page is read before the response begins, so that an error can still set the status.
        Page<EventRecord> page = search.events(filter, null, EXPORT_PAGE);
        call.context().status(200).contentType(type + "; charset=utf-8");
        call.context().header("Content-Disposition", "attachment; filename=\"events." + ending + "\"");
        try {
            OutputStream out = call.context().outputStream();
            if (ending.equals("csv")) {
                out.write(Csv.line(List.copyOf(COLUMNS)).getBytes(StandardCharsets.UTF_8));
            }
            for (int written = 0; ; ) {
                for (EventRecord event : page.items()) {
                    if (written++ == MOST_EXPORTED) {
                        return;
                    }
                    out.write(line.apply(event).getBytes(StandardCharsets.UTF_8));
                }
                if (page.next() == null) {
                    return;
                }
                page = search.events(filter, page.next(), EXPORT_PAGE);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String csv(EventRecord event) {
        ObjectNode json = EventJson.of(event);
        @Nullable
        String[] cells = COLUMNS.stream()
                .map(column -> json.get(column))
                .map(value -> value == null || value.isNull() ? null : value.asString())
                .toArray(String[]::new);
        return Csv.line(Arrays.asList(cells));
    }

    private EventRecord event(Call call) {
        UUID id = call.id();
        return outboxes.of(call).view().event(id).orElseThrow(() -> unknown(id));
    }

    private static Refusal unknown(UUID id) {
        return Refusal.of(
                Kind.NOT_FOUND, "There is no event " + id + ". It may have been removed after its retention time.");
    }

    private void show(Call call) {
        EventRecord record = event(call);
        ObjectNode json = EventJson.of(record);
        ObjectNode headers = json.putObject("headers");
        record.event().headers().forEach(headers::put);
        json.put("traceId", traceId(record.event().headers()).orElse(null));
        json.put("payloadSize", record.event().payload().getBytes(StandardCharsets.UTF_8).length);
        EventJson.history(json, outboxes.of(call).view().history(record.event().id()));
        neighbours(call, record, json);
        call.json(json);
    }

    private static Optional<String> traceId(Map<String, String> headers) {
        String parent = headers.get(Headers.TRACEPARENT);
        String[] parts = parent == null ? new String[0] : parent.split("-", -1);
        return parts.length == 4 && parts[1].matches("[0-9a-f]{32}") ? Optional.of(parts[1]) : Optional.empty();
    }

    /** Adds the events before and after this one. The lists stay empty if it is not among the first events of its key. */
    private void neighbours(Call call, EventRecord record, ObjectNode json) {
        ArrayNode before = json.putArray("before");
        ArrayNode after = json.putArray("after");
        Optional<OutboxSearch> search = outboxes.of(call).search();
        if (search.isEmpty()) {
            return;
        }
        List<EventRecord> trail =
                search.get().trail(record.event().key(), null, 1_000).items();
        int at = 0;
        while (at < trail.size()
                && !trail.get(at).event().id().equals(record.event().id())) {
            at++;
        }
        if (at == trail.size()) {
            return;
        }
        trail.subList(Math.max(0, at - NEIGHBOURS), at).forEach(event -> before.add(EventJson.of(event)));
        trail.subList(at + 1, Math.min(trail.size(), at + 1 + NEIGHBOURS))
                .forEach(event -> after.add(EventJson.of(event)));
    }

    private void payload(Call call) {
        int most = call.limit(PayloadPreview.DEFAULT_BYTES, PayloadPreview.MOST_BYTES);
        EventRecord record = event(call);
        outboxes.actions(call)
                .recordView(
                        record.event().id(),
                        new Action(call.caller().name(), "viewed the payload", null, requests.origin(call)));
        @Nullable String hash = call.permits(Permission.EDIT) ? Correction.hash(record.event()) : null;
        call.json(PayloadPreview.of(record.event().payload(), mask, most, hash));
    }

    private void replay(Call call) {
        UUID id = event(call).event().id();
        Body body = call.body();
        Action action = requests.action(call, body);
        Optional<String> topic = body.optionalText("topic", LONGEST_TOPIC);
        body.requireNoMore();
        OutboxActions actions = outboxes.actions(call);
        ActionResult result = topic.isPresent()
                ? actions.replayTo(topic.get(), List.of(id), action)
                : actions.replay(List.of(id), action);
        call.json(outcome("replay", action, result));
    }

    /** An action on one event. */
    @FunctionalInterface
    private interface OneEvent {
        ActionResult apply(OutboxActions actions, UUID id, Action action);
    }

    private void act(Call call, String name, OneEvent change) {
        UUID id = event(call).event().id();
        Action action = requests.onlyAction(call);
        call.json(outcome(name, action, change.apply(outboxes.actions(call), id, action)));
    }

    private static ObjectNode outcome(String name, Action action, ActionResult result) {
        return Requests.outcome(
                name,
                action,
                result,
                result.events().isEmpty()
                        ? "The event was not changed: it is not in a state for this action."
                        : "The event was changed.");
    }

    private void edit(Call call) {
        UUID id = event(call).event().id();
        Body body = call.body(LARGEST_EDIT);
        Action action = requests.action(call, body);
        Correction correction = new Correction(
                id,
                body.raw("payload", LARGEST_EDIT)
                        .orElseThrow(() -> Refusal.invalid("payload", "The field payload is missing.")),
                body.texts("headers", MOST_HEADERS),
                body.text("expectedHash", LONGEST_HASH));
        body.requireNoMore();
        ActionResult result = outboxes.actions(call).editAndReplay(correction, action);
        ObjectNode json =
                Requests.outcome("edit", action, List.of(id), result.repeated(), "A corrected copy was appended.");
        call.json(json.put("newId", result.events().get(0).toString()));
    }
}
