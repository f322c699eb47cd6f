package io.waybill.bench;

import io.waybill.bench.contest.BenchServers;
import io.waybill.bench.measure.Figure;
import io.waybill.bench.measure.Run;
import io.waybill.bench.report.Progress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The servers, the progress display and the runs so far, which all scenarios of one call share. */
record BenchContext(BenchServers servers, Progress progress, List<Run> runs) {
    private static final List<Figure> HEADLINES = List.of(
            Figure.RATE, Figure.SAGAS, Figure.ARRIVED, Figure.P50, Figure.P99, Figure.QUERIES, Figure.BUSY, Figure.CPU);

    /** Round 0 is the warm-up. Its result is not kept. */
    void add(Run run) {
        String headline = !run.verdict().passed()
                ? "FAILED: " + run.verdict()
                : HEADLINES.stream()
                        .filter(run.figures()::containsKey)
                        .map(figure -> figure.format(value(run, figure)) + " " + figure.label())
                        .collect(Collectors.joining(", "));
        String what = run.scenario() + (run.variant().isEmpty() ? "" : " (" + run.variant() + ")");
        String round = run.round() == 0 ? "warm-up" : "round " + run.round();
        progress.done(String.format("%-28s %-8s %-15s %s", what, round, run.contestant(), headline));
        if (run.round() > 0 || !run.verdict().passed()) {
            runs.add(run);
        }
    }

    private static double value(Run run, Figure figure) {
        Map<Figure, Double> figures = run.figures();
        return figures.getOrDefault(figure, Double.NaN);
    }

    /** Rotates the order of the contestants in each round, so that the order favours none. */
    static <T> List<T> inTurn(List<T> all, int round) {
        List<T> turned = new ArrayList<>(all);
        Collections.rotate(turned, 1 - round);
        return turned;
    }
}
