package io.waybill.server.http;

import io.waybill.WaybillException;
import io.waybill.internal.DaemonThreads;
import io.waybill.server.http.json.StatusJson;
import io.waybill.server.http.outbox.HealthCheck;
import io.waybill.server.http.outbox.ServedOutbox;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Status and readiness. If the only outbox has no name, the answer describes this outbox. Otherwise the answer is a list of
 * outboxes, and the parameter {@code outbox} selects one of them.
 */
final class OutboxResources implements AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** A response. */
    record Answer(int status, ObjectNode body) {
        boolean ok() {
            return status == 200;
        }
    }

    private final List<ServedOutbox> outboxes;

    /** Reads the outboxes in parallel, so that several outboxes that do not answer delay a response only once. */
    private final ExecutorService threads =
            Executors.newCachedThreadPool(DaemonThreads.numbered("waybill-http-outbox"));

    OutboxResources(List<ServedOutbox> outboxes) {
        this.outboxes = outboxes;
    }

    /** @param name empty for all */
    Answer status(Optional<String> name) {
        return answer(name, OutboxResources::status, all -> {
            ObjectNode body = JSON.createObjectNode();
            var list = body.putArray("outboxes");
            all.forEach(one -> list.add(named(one)));
            return new Answer(all.stream().anyMatch(one -> one.answer().ok()) ? 200 : 503, body);
        });
    }

    /**
     * @param name empty for all, which are ready if each of them is
     * @param details whether the answer contains the details of each check
     */
    Answer ready(Optional<String> name, boolean details) {
        return answer(name, outbox -> ready(outbox, details), all -> {
            boolean ready = all.stream().allMatch(one -> one.answer().ok());
            ObjectNode body = JSON.createObjectNode().put("ready", ready);
            ObjectNode each = body.putObject("outboxes");
            all.forEach(one -> each.set(one.name(), one.answer().body()));
            return new Answer(ready ? 200 : 503, body);
        });
    }

    private record Named(String name, Answer answer) {}

    private Answer answer(
            Optional<String> name, Function<ServedOutbox, Answer> one, Function<List<Named>, Answer> all) {
        Optional<ServedOutbox> chosen = outboxes.stream()
                .filter(outbox -> outbox.configuredName().equals(name))
                .findFirst();
        if (chosen.isPresent()) {
            return one.apply(chosen.get());
        }
        if (name.isPresent()) {
            return new Answer(404, error("There is no outbox of this name."));
        }
        List<CompletableFuture<Named>> answers = outboxes.stream()
                .map(outbox ->
                        CompletableFuture.supplyAsync(() -> new Named(outbox.name(), one.apply(outbox)), threads))
                .toList();
        return all.apply(answers.stream().map(CompletableFuture::join).toList());
    }

    private static ObjectNode named(Named one) {
        ObjectNode json = JSON.createObjectNode().put("outbox", one.name());
        json.setAll(one.answer().body());
        return json;
    }

    private static Answer status(ServedOutbox outbox) {
        try {
            return new Answer(200, StatusJson.of(outbox.status(), outbox.sagaTotals()));
        } catch (WaybillException e) {
            return new Answer(503, error(String.valueOf(e.getMessage())));
        }
    }

    private static Answer ready(ServedOutbox outbox, boolean detailed) {
        List<HealthCheck> checks = outbox.checks();
        boolean ready = checks.stream().allMatch(HealthCheck::ok);
        ObjectNode body = JSON.createObjectNode().put("ready", ready);
        ObjectNode details = body.putObject("checks");
        for (HealthCheck check : checks) {
            ObjectNode one = details.putObject(check.name()).put("ok", check.ok());
            if (detailed) {
                one.put("detail", check.detail());
            }
        }
        return new Answer(ready ? 200 : 503, body);
    }

    private static ObjectNode error(String message) {
        return JSON.createObjectNode().put("error", message);
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
