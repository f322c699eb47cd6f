package io.waybill.bench.report;

import io.waybill.bench.measure.Figure;
import io.waybill.bench.measure.Run;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The report for programs: all runs with their checks. */
public final class JsonReport {
    private JsonReport() {}

    public static void write(Path file, List<Section> sections, List<Run> runs) {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("at", Instant.now().toString());
        report.put("processors", Runtime.getRuntime().availableProcessors());
        report.put("java", Runtime.version().toString());
        report.put(
                "scenarios",
                sections.stream().map(section -> scenario(section, runs)).toList());
        report.put("runs", runs.stream().map(JsonReport::run).toList());
        JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build().writeValue(file, report);
    }

    private static Map<String, Object> scenario(Section section, List<Run> runs) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("scenario", section.scenario());
        json.put("description", section.description());
        json.put(
                "results",
                Summary.rows(section, runs).stream().map(JsonReport::row).toList());
        return json;
    }

    private static Map<String, Object> row(Row row) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("contestant", row.contestant());
        json.put("variant", row.variant());
        json.put("check", row.check());
        json.put("medians", figures(row.figures()));
        json.put("ratios", row.ratios());
        return json;
    }

    private static Map<String, Object> run(Run run) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("scenario", run.scenario());
        json.put("variant", run.variant());
        json.put("contestant", run.contestant());
        json.put("round", run.round());
        json.put("passed", run.verdict().passed());
        json.put("check", run.verdict());
        json.put("figures", run.verdict().passed() ? figures(run.figures()) : Map.of());
        return json;
    }

    private static Map<String, Object> figures(Map<Figure, Double> figures) {
        Map<String, Object> json = new LinkedHashMap<>();
        figures.forEach((figure, value) -> {
            if (!value.isNaN()) {
                json.put(figure.json(), value);
            }
        });
        return json;
    }
}
