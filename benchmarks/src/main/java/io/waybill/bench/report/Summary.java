package io.waybill.bench.report;

import io.waybill.bench.measure.Figure;
import io.waybill.bench.measure.Run;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Summarises the runs of a scenario. */
public final class Summary {
    private final Section section;
    private final List<Run> runs;

    private Summary(Section section, List<Run> runs) {
        this.section = section;
        this.runs = runs;
    }

    public static List<Row> rows(Section section, List<Run> all) {
        List<Run> runs = all.stream()
                .filter(run -> run.scenario().equals(section.scenario()))
                .toList();
        return new Summary(section, runs).rows();
    }

    private List<Row> rows() {
        Map<List<String>, List<Run>> grouped = runs.stream()
                .collect(Collectors.groupingBy(
                        run -> List.of(run.variant(), run.contestant()), LinkedHashMap::new, Collectors.toList()));
        return grouped.values().stream().map(this::row).toList();
    }

    private Row row(List<Run> group) {
        Run first = group.get(0);
        Optional<Run> failed =
                group.stream().filter(run -> !run.verdict().passed()).findFirst();
        if (failed.isPresent()) {
            String what = "FAILED: " + failed.get().verdict();
            return new Row(first.variant(), first.contestant(), Map.of(), Map.of(), false, what);
        }
        Map<Figure, Double> medians = new EnumMap<>(Figure.class);
        for (Figure figure : first.figures().keySet()) {
            medians.put(
                    figure,
                    median(group.stream()
                            .map(run -> value(run, figure))
                            .flatMap(Optional::stream)
                            .toList()));
        }
        String check = group.stream()
                .map(run -> run.verdict().toString())
                .filter(text -> !text.equals("ok"))
                .findFirst()
                .orElse("ok");
        return new Row(first.variant(), first.contestant(), medians, ratios(group), true, check);
    }

    private Map<String, Double> ratios(List<Run> group) {
        Run first = group.get(0);
        Map<String, Double> ratios = new LinkedHashMap<>();
        Optional<Figure> speed = List.of(Figure.RATE, Figure.SAGAS, Figure.ARRIVED).stream()
                .filter(first.figures()::containsKey)
                .findFirst();
        for (String baseline : section.baselines()) {
            Predicate<Run> other = run -> run.contestant().equals(baseline);
            speed.flatMap(figure -> ratio(group, figure, true, other))
                    .ifPresent(ratio -> ratios.put("× " + baseline, ratio));
            ratio(group, Figure.CPU, true, other).ifPresent(ratio -> ratios.put("CPU × " + baseline, ratio));
        }
        if (!section.undisturbed().isEmpty()) {
            Predicate<Run> other = run ->
                    run.contestant().equals(first.contestant()) && run.variant().equals(section.undisturbed());
            speed.flatMap(figure -> ratio(group, figure, false, other))
                    .ifPresent(ratio -> ratios.put("× " + section.undisturbed(), ratio));
        }
        return ratios;
    }

    /** Compares only runs of the same round, which had the same conditions. */
    private Optional<Double> ratio(List<Run> group, Figure figure, boolean sameVariant, Predicate<Run> other) {
        List<Double> ratios = new ArrayList<>();
        for (Run run : group) {
            Optional<Double> base = runs.stream()
                    .filter(candidate -> candidate.round() == run.round()
                            && candidate.verdict().passed()
                            && (!sameVariant || candidate.variant().equals(run.variant())))
                    .filter(other)
                    .map(found -> value(found, figure))
                    .flatMap(Optional::stream)
                    .findFirst();
            Optional<Double> own = value(run, figure);
            if (base.isPresent() && own.isPresent()) {
                ratios.add(own.get() / base.get());
            }
        }
        return ratios.isEmpty() ? Optional.empty() : Optional.of(median(ratios));
    }

    private static Optional<Double> value(Run run, Figure figure) {
        return Optional.ofNullable(run.figures().get(figure)).filter(value -> !value.isNaN());
    }

    static double median(Collection<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int half = sorted.length / 2;
        if (sorted.length == 0) {
            return Double.NaN;
        }
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }
}
