package io.waybill.server.http.api;

import io.waybill.admin.Action;
import io.waybill.admin.ActionResult;
import io.waybill.admin.BlockedKey;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventRecord;
import io.waybill.admin.FailureGroups;
import io.waybill.admin.Page;
import io.waybill.inbox.DeadLetter;
import io.waybill.inbox.InboxStatus;
import io.waybill.saga.admin.SagaActions;
import io.waybill.saga.admin.SagaFilter;
import io.waybill.server.http.json.EventJson;
import io.waybill.server.http.json.SagasJson;
import io.waybill.server.http.outbox.ServedInbox;
import io.waybill.server.http.outbox.ServedOutbox;
import io.waybill.server.http.request.Access;
import io.waybill.server.http.request.Call;
import io.waybill.server.http.request.Routes;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Failure groups, blocked keys, and everything about one key. */
final class KeyRoutes {
    private static final int MOST_SAGAS = 20;
    private static final int MOST_MARKS = 200;

    private final Outboxes outboxes;
    private final Requests requests;

    KeyRoutes(Outboxes outboxes, Requests requests) {
        this.outboxes = outboxes;
        this.requests = requests;
    }

    void addTo(Routes routes) {
        routes.get("/api/v1/outboxes/{o}/failures", Access.VIEW, this::failures)
                .get("/api/v1/outboxes/{o}/keys", Access.VIEW, this::blocked)
                .get("/api/v1/outboxes/{o}/keys/{key}", Access.VIEW, this::trail)
                .post("/api/v1/outboxes/{o}/keys/{key}/release", Access.ACT, this::release);
    }

    private void failures(Call call) {
        FailureGroups groups = outboxes.search(call).failureGroups();
        call.json(Requests.list(groups.groups(), KeyRoutes::group)
                .put("examined", groups.examined())
                .put("cut", !groups.complete()));
    }

    private static ObjectNode group(FailureGroups.Group group) {
        return Requests.object()
                .put("fingerprint", group.fingerprint())
                .put("error", group.error())
                .put("type", group.type())
                .put("topic", group.topic())
                .put("count", group.count())
                .put("retrying", group.retrying())
                .put("deadLetters", group.deadLetters())
                .put("firstAt", group.first().toString())
                .put("lastAt", group.last().toString())
                .put("sampleId", group.sample().toString())
                .put("sampleError", group.sampleError());
    }

    private void blocked(Call call) {
        call.json(Requests.page(
                outboxes.search(call).blockedKeys(Requests.cursor(call), Requests.limit(call)), KeyRoutes::key));
    }

    private static ObjectNode key(BlockedKey blocked) {
        ObjectNode json = Requests.object()
                .put("key", blocked.key())
                .put("aggregateType", blocked.aggregateType())
                .put("headId", blocked.id().toString())
                .put("headType", blocked.type())
                .put("topic", blocked.topic())
                .put("cause", blocked.cause().name())
                .put("error", blocked.error())
                .put("attempts", blocked.attempts())
                .put(
                        "nextAttemptAt",
                        blocked.nextAttemptAt() == null
                                ? null
                                : blocked.nextAttemptAt().toString())
                .put("since", blocked.createdAt().toString());
        json.putObject("parked")
                .put("count", blocked.parked())
                .put("atLeast", blocked.parked() >= BlockedKey.MOST_COUNTED);
        return json;
    }

    private void trail(Call call) {
        ServedOutbox outbox = outboxes.of(call);
        String key = call.path("key");
        Page<EventRecord> page = outboxes.search(call).trail(key, Requests.cursor(call), Requests.limit(call));
        ObjectNode json = Requests.object().put("key", key);
        ArrayNode events = json.putArray("events");
        page.items().forEach(event -> events.add(EventJson.of(event)));
        json.put("next", page.next());
        ArrayNode marks = json.putArray("inbox");
        Optional<ServedInbox> inbox = outbox.inbox();
        inbox.ifPresent(found -> inbox(found, key, marks));
        ArrayNode sagas = json.putArray("sagas");
        outbox.sagas().ifPresent(found -> sagas(found, key, sagas));
        call.json(json);
    }

    /** Adds the dead letters of the consumer groups of this database. */
    private static void inbox(ServedInbox inbox, String key, ArrayNode marks) {
        for (InboxStatus group : inbox.view().status()) {
            if (group.deadLetters() > 0) {
                for (DeadLetter letter :
                        inbox.deadLetters().list(group.group(), EventFilter.ALL.key(key), MOST_MARKS)) {
                    mark(marks, letter.group(), letter.eventId(), "DEAD_LETTER")
                            .put("at", letter.failedAt().toString())
                            .put("error", letter.error());
                }
            }
        }
    }

    private static ObjectNode mark(ArrayNode marks, String group, UUID event, String state) {
        return marks.addObject()
                .put("group", group)
                .put("eventId", event.toString())
                .put("state", state);
    }

    private static void sagas(SagaActions sagas, String key, ArrayNode found) {
        sagas.view().list(SagaFilter.all(MOST_SAGAS).keyPrefix(key)).stream()
                .filter(saga -> saga.businessKey().equals(key))
                .forEach(saga -> found.add(SagasJson.saga(saga)));
    }

    private void release(Call call) {
        String key = call.path("key");
        Action action = requests.onlyAction(call);
        ActionResult result = outboxes.actions(call).releaseKey(key, action);
        call.json(Requests.outcome("release", action, result, "The events behind the dead letter go on."));
    }
}
