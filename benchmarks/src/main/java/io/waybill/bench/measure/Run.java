package io.waybill.bench.measure;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * A contestant in one round of a scenario. The figures of a run whose check failed are not shown.
 *
 * @param variant what differs within a scenario, such as the number of events in a transaction; may be empty
 */
public record Run(
        String scenario,
        String variant,
        String contestant,
        int round,
        Map<Figure, Double> figures,
        DeliveryCheck verdict) {

    public Run {
        figures = Collections.unmodifiableMap(new EnumMap<>(figures));
    }
}
