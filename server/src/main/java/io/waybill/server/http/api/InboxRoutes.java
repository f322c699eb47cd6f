package io.waybill.server.http.api;

import io.waybill.admin.Action;
import io.waybill.admin.DeadLetters.Decision;
import io.waybill.admin.EventFilter;
import io.waybill.admin.Page;
import io.waybill.inbox.DeadLetter;
import io.waybill.server.http.json.InboxJson;
import io.waybill.server.http.outbox.ServedInbox;
import io.waybill.server.http.request.Access;
import io.waybill.server.http.request.Call;
import io.waybill.server.http.request.Refusal;
import io.waybill.server.http.request.Refusal.Kind;
import io.waybill.server.http.request.Routes;
import java.util.List;
import java.util.UUID;
import tools.jackson.databind.node.ObjectNode;

/** Consumer groups with their dead letters. */
final class InboxRoutes {
    private static final String INBOX = "/api/v1/outboxes/{o}/inbox";
    private static final String LETTERS = INBOX + "/{group}/dead-letters";

    private final Outboxes outboxes;
    private final Requests requests;
    private final Mask mask;
    private final RecentActions recent = new RecentActions();

    InboxRoutes(Outboxes outboxes, Requests requests, Mask mask) {
        this.outboxes = outboxes;
        this.requests = requests;
        this.mask = mask;
    }

    void addTo(Routes routes) {
        routes.get(INBOX, Access.VIEW, this::groups)
                .get(LETTERS, Access.VIEW, this::letters)
                .get(LETTERS + "/{id}", Access.VIEW, this::letter)
                .get(LETTERS + "/{id}/payload", Access.PAYLOAD, this::payload)
                .post(
                        LETTERS + "/{id}/replay",
                        Access.ACT,
                        call -> act(
                                call,
                                "replay",
                                (inbox, group, id, decision) ->
                                        inbox.deadLetters().replay(group, List.of(id), decision)))
                .post(
                        LETTERS + "/{id}/discard",
                        Access.ACT,
                        call -> act(
                                call,
                                "discard",
                                (inbox, group, id, decision) ->
                                        inbox.deadLetters().discard(group, List.of(id), decision)));
    }

    private void groups(Call call) {
        ServedInbox inbox = outboxes.of(call).inbox().orElse(null);
        call.json(Requests.list(inbox == null ? List.of() : inbox.view().status(), InboxJson::status));
    }

    private void letters(Call call) {
        EventFilter filter = EventFilter.ALL
                .type(call.query("type").orElse(null))
                .key(call.query("key").orElse(null));
        int limit = Requests.limit(call);
        List<DeadLetter> letters = outboxes.inbox(call).deadLetters().list(call.path("group"), filter, limit);
        call.json(Requests.page(new Page<>(letters, null), InboxJson::letter));
    }

    private DeadLetter find(Call call) {
        UUID id = call.id();
        String group = call.path("group");
        return outboxes.inbox(call)
                .deadLetters()
                .find(group, id)
                .orElseThrow(
                        () -> Refusal.of(Kind.NOT_FOUND, "The group " + group + " has no dead letter " + id + "."));
    }

    private void letter(Call call) {
        DeadLetter letter = find(call);
        call.json(InboxJson.withHeaders(
                        letter, outboxes.inbox(call).deadLetters().history(letter.group(), letter.eventId()))
                .put("payloadSize", letter.message().value().length));
    }

    private void payload(Call call) {
        int most = call.limit(PayloadPreview.DEFAULT_BYTES, PayloadPreview.MOST_BYTES);
        DeadLetter letter = find(call);
        outboxes.actions(call)
                .recordView(
                        letter.eventId(),
                        new Action(
                                call.caller().name(),
                                "viewed the message of the group " + letter.group(),
                                null,
                                requests.origin(call)));
        call.json(PayloadPreview.of(InboxJson.text(letter.message().value()), mask, most, null));
    }

    /** An action on one event of a group. */
    @FunctionalInterface
    private interface OneEvent {
        List<UUID> apply(ServedInbox inbox, String group, UUID id, Decision decision);
    }

    private void act(Call call, String name, OneEvent change) {
        Action action = requests.onlyAction(call);
        call.json(once(call, name, action, change));
    }

    private ObjectNode once(Call call, String name, Action action, OneEvent change) {
        ServedInbox inbox = outboxes.inbox(call);
        String group = call.path("group");
        UUID id = call.id();
        return recent.once(outboxes.of(call).name() + " " + action.id(), () -> {
            List<UUID> changed = change.apply(inbox, group, id, new Decision(action.actor(), action.reason()));
            return Requests.outcome(
                    name,
                    action,
                    changed,
                    false,
                    changed.isEmpty()
                            ? "The event was not changed: it is not in a state for this action."
                            : "The event was changed.");
        });
    }
}
