package io.waybill.bench.measure;

import java.util.EnumMap;
import java.util.Map;

/** Collects the figures of one run. */
public final class Figures {
    private final Map<Figure, Double> values = new EnumMap<>(Figure.class);

    public Figures put(Figure figure, double value) {
        values.put(figure, value);
        return this;
    }

    public Figures perEvent(Cpu spent, long events) {
        return put(Figure.CPU, spent.total() * 1e6 / events)
                .put(Figure.CPU_OURS, spent.ours() * 1e6 / events)
                .put(Figure.CPU_POSTGRES, spent.postgres() * 1e6 / events)
                .put(Figure.CPU_KAFKA, spent.kafka() * 1e6 / events);
    }

    public Figures perSecond(Cpu spent, double seconds) {
        return put(Figure.BUSY, spent.total() * 1e3 / seconds)
                .put(Figure.BUSY_OURS, spent.ours() * 1e3 / seconds)
                .put(Figure.BUSY_POSTGRES, spent.postgres() * 1e3 / seconds)
                .put(Figure.BUSY_KAFKA, spent.kafka() * 1e3 / seconds);
    }

    public Run run(String scenario, String variant, String contestant, int round, DeliveryCheck verdict) {
        return new Run(scenario, variant, contestant, round, values, verdict);
    }
}
