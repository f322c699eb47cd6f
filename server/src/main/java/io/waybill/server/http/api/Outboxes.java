package io.waybill.server.http.api;

import io.waybill.admin.BulkOperations;
import io.waybill.admin.OutboxActions;
import io.waybill.admin.OutboxSearch;
import io.waybill.saga.admin.SagaActions;
import io.waybill.server.http.outbox.ServedInbox;
import io.waybill.server.http.outbox.ServedOutbox;
import io.waybill.server.http.request.Call;
import io.waybill.server.http.request.Refusal;
import io.waybill.server.http.request.Refusal.Kind;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds the outbox that a request names, or a part of it. */
final class Outboxes {
    private final Map<String, ServedOutbox> byName = new LinkedHashMap<>();

    Outboxes(List<ServedOutbox> outboxes) {
        outboxes.forEach(outbox -> byName.put(outbox.name(), outbox));
    }

    Collection<ServedOutbox> all() {
        return byName.values();
    }

    Optional<ServedOutbox> find(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    ServedOutbox of(Call call) {
        String name = call.path("o");
        return find(name)
                .orElseThrow(() -> Refusal.of(
                        Kind.NOT_FOUND,
                        "There is no outbox " + name + ".",
                        "Outboxes of this instance: " + String.join(", ", byName.keySet()) + "."));
    }

    OutboxSearch search(Call call) {
        return of(call).search().orElseThrow(() -> unsupported("searches"));
    }

    OutboxActions actions(Call call) {
        return of(call).actions().orElseThrow(() -> unsupported("actions"));
    }

    BulkOperations bulk(Call call) {
        return of(call).bulk().orElseThrow(() -> unsupported("bulk operations"));
    }

    ServedInbox inbox(Call call) {
        return of(call).inbox()
                .orElseThrow(() -> Refusal.of(
                        Kind.NOT_FOUND,
                        "The database of this outbox contains no tables of an inbox.",
                        "Run `waybill inbox schema apply` if you need them."));
    }

    SagaActions sagas(Call call) {
        return of(call).sagas()
                .orElseThrow(() -> Refusal.of(
                        Kind.NOT_FOUND,
                        "The database of this outbox contains no tables of sagas.",
                        "Run `waybill sagas schema apply` if you need them."));
    }

    private static Refusal unsupported(String what) {
        return Refusal.of(Kind.NOT_FOUND, "The database of this outbox does not support " + what + " of the console.");
    }
}
