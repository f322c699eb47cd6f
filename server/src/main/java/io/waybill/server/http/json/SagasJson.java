package io.waybill.server.http.json;

import io.waybill.saga.admin.RequestOutcome;
import io.waybill.saga.admin.SagaDetails;
import io.waybill.saga.admin.SagaStatistics;
import io.waybill.saga.admin.SagaTotals;
import io.waybill.saga.admin.StepDetails;
import io.waybill.saga.admin.StuckStep;
import io.waybill.saga.picture.SagaPlan;
import io.waybill.saga.store.HistoryEntry;
import io.waybill.saga.store.SagaRecord;
import io.waybill.saga.store.SagaSignal;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Sagas as JSON, for {@code waybill sagas … --json} and for HTTP. Scripts rely on the field names. */
public final class SagasJson {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private SagasJson() {}

    public static ObjectNode totals(SagaTotals totals) {
        return JSON.createObjectNode()
                .put("running", totals.running())
                .put("compensating", totals.compensating())
                .put("stuck", totals.stuck())
                .put("oldestAgeSeconds", seconds(totals.oldest()))
                .put("timerLagSeconds", seconds(totals.timerLag()));
    }

    /** A saga as lists show it. */
    public static ObjectNode saga(SagaRecord saga) {
        ObjectNode json = JSON.createObjectNode()
                .put("id", saga.id().toString())
                .put("name", saga.name())
                .put("version", saga.version())
                .put("key", saga.businessKey())
                .put("status", saga.status().name())
                .put("ended", saga.ended());
        if (saga.stuck().isEmpty()) {
            json.putArray("stuck");
        } else {
            texts(json.putArray("stuck"), List.of(saga.stuck().split(",", -1)));
        }
        return json.put("error", saga.error())
                .put("parentId", text(saga.parentId()))
                .put("createdAt", saga.createdAt().toString())
                .put("updatedAt", saga.updatedAt().toString())
                .put("nextAt", text(saga.wakeAt()))
                .put("endedAt", text(saga.endedAt()))
                .put("revision", saga.revision());
    }

    public static ObjectNode details(SagaDetails details) {
        ObjectNode json = saga(details.saga());
        ObjectNode headers = json.putObject("headers");
        details.saga().headers().forEach(headers::put);
        ArrayNode steps = json.putArray("steps");
        for (StepDetails step : details.steps()) {
            steps.addObject()
                    .put("name", step.name())
                    .put("status", step.status().name())
                    .put("attempts", step.attempts())
                    .put("compensationAttempts", step.compensationAttempts())
                    .put("stuck", step.stuck())
                    .put("error", step.error())
                    .put("startedAt", text(step.startedAt()))
                    .put("endedAt", text(step.endedAt()))
                    .put("nextAt", text(step.nextAt()));
        }
        json.put("historyComplete", details.historyComplete());
        ArrayNode history = json.putArray("history");
        for (HistoryEntry entry : details.history()) {
            history.addObject()
                    .put("at", entry.at().toString())
                    .put("kind", entry.kind().name())
                    .put("step", entry.step())
                    .put("attempt", entry.attempt())
                    .put("detail", entry.detail());
        }
        ArrayNode pending = json.putArray("pending");
        for (SagaSignal signal : details.pending()) {
            pending.addObject()
                    .put("id", signal.id())
                    .put("action", signal.kind().name())
                    .put("step", signal.step())
                    .put("actor", signal.actor())
                    .put("reason", signal.reason());
        }
        data(json, details.saga().data());
        return json;
    }

    /** Data that a foreign program has damaged is shown as text. */
    private static void data(ObjectNode json, String data) {
        try {
            json.set("data", JSON.readTree(data));
        } catch (JacksonException e) {
            json.put("data", data);
        }
    }

    public static ObjectNode statistics(SagaStatistics group) {
        return JSON.createObjectNode()
                .put("name", group.name())
                .put("status", group.status().name())
                .put("count", group.count())
                .put("stuck", group.stuck())
                .put("oldestAgeSeconds", seconds(group.oldest()));
    }

    public static ObjectNode stuckStep(StuckStep stuck) {
        return JSON.createObjectNode()
                .put("saga", stuck.saga().toString())
                .put("name", stuck.name())
                .put("key", stuck.businessKey())
                .put("step", stuck.step());
    }

    public static ObjectNode outcome(RequestOutcome outcome) {
        return JSON.createObjectNode()
                .put("saga", outcome.request().saga().toString())
                .put("request", outcome.request().id())
                .put("action", outcome.request().action().name())
                .put("step", outcome.request().step())
                .put("outcome", outcome.state().name().toLowerCase(Locale.ROOT))
                .put("detail", outcome.detail());
    }

    public static ObjectNode plan(SagaPlan plan) {
        ObjectNode json = JSON.createObjectNode()
                .put("name", plan.outline().name())
                .put("version", plan.outline().version())
                .put("atomic", plan.outline().atomic());
        lists(json.putArray("layers"), plan.layers());
        texts(json.putArray("criticalPath"), plan.criticalPath());
        json.put("longestSeconds", seconds(plan.longest())).put("pivot", plan.pivot());
        ArrayNode failures = json.putArray("failures");
        for (SagaPlan.Failure failure : plan.failures()) {
            ObjectNode one = failures.addObject()
                    .put("step", failure.step())
                    .put("consequence", failure.consequence().name());
            lists(one.putArray("undone"), failure.undone());
            texts(one.putArray("remaining"), failure.remaining());
        }
        return json;
    }

    private static void lists(ArrayNode array, List<List<String>> lists) {
        lists.forEach(list -> texts(array.addArray(), list));
    }

    private static void texts(ArrayNode array, Collection<String> texts) {
        texts.forEach(array::add);
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1_000.0;
    }

    private static @Nullable String text(@Nullable Object value) {
        return value == null ? null : value.toString();
    }
}
