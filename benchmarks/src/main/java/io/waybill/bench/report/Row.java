package io.waybill.bench.report;

import io.waybill.bench.measure.Figure;
import java.util.Map;

/**
 * A line of a table: the medians of a contestant over all rounds.
 *
 * @param ratios medians of the ratios of each round, by their name
 * @param passed whether every run's check passed; without it there are no figures
 */
public record Row(
        String variant,
        String contestant,
        Map<Figure, Double> figures,
        Map<String, Double> ratios,
        boolean passed,
        String check) {}
