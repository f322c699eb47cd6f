package io.waybill.chaos.report;

import io.waybill.chaos.check.Finding;
import io.waybill.chaos.schedule.InjectedFault;
import io.waybill.processes.SagaWorkload;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The report for programs, with all details. */
public final class JsonReport {
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private JsonReport() {}

    public static String of(List<RunResult> outcomes) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("clean", outcomes.stream().allMatch(outcome -> outcome.result().clean()));
        json.put("runs", outcomes.stream().map(JsonReport::run).toList());
        return JSON.writeValueAsString(json);
    }

    private static Map<String, Object> run(RunResult outcome) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("engine", outcome.engine());
        json.put("seed", outcome.seed());
        json.put("at", outcome.at().toString());
        json.put("seconds", outcome.length().toSeconds());
        json.put("size", outcome.size());
        json.put("command", outcome.command());
        json.put("clean", outcome.result().clean());
        json.put("numbers", outcome.result().counts());
        json.put("sagas", sagas(outcome.result().sagas()));
        json.put("faultCounts", outcome.byFault());
        json.put("restarts", outcome.restarts());
        json.put(
                "invariants",
                outcome.result().findings().stream().map(JsonReport::finding).toList());
        json.put("faults", outcome.faults().stream().map(JsonReport::fault).toList());
        json.put("samples", outcome.samples());
        return json;
    }

    private static Map<String, Object> sagas(SagaWorkload.Verdict sagas) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("started", sagas.started());
        json.put("ended", sagas.ended());
        json.put("completed", sagas.completed());
        json.put("rolledBack", sagas.rolledBack());
        json.put("stepsInDoubt", sagas.inDoubt());
        json.put("lateResults", sagas.stale());
        return json;
    }

    private static Map<String, Object> finding(Finding finding) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("invariant", finding.invariant().name());
        json.put("title", finding.invariant().title());
        json.put("state", finding.state());
        json.put("summary", finding.summary());
        json.put("violations", finding.violations());
        return json;
    }

    private static Map<String, Object> fault(InjectedFault fault) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("fault", fault.planned().fault().name());
        json.put("parameters", fault.planned().injection().parameters());
        json.put("plannedAt", fault.planned().at().toMillis() / 1_000.0);
        json.put("plannedFor", fault.planned().lasts().toMillis() / 1_000.0);
        json.put("begin", fault.begin().toMillis() / 1_000.0);
        json.put("end", fault.end().toMillis() / 1_000.0);
        json.put("interruptions", fault.planned().injection().interruptions());
        json.put("problem", fault.problem());
        return json;
    }
}
