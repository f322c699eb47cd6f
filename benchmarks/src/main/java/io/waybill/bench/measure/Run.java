package io.waybill.bench.measure;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * One contestant in one round of one scenario. Figures of a run whose check failed are never shown.
 *
 * @param variant what differs within a scenario, such as the number of events in a transaction; may be empty
 */
public record Run(
        String scenario, String variant, String contestant, int round, Map<Figure, Double> figures, Verdict verdict) {

    public Run {
        figures = Collections.unmodifiableMap(new EnumMap<>(figures));
    }
}
