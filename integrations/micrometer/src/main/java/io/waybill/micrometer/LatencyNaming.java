package io.waybill.micrometer;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.NamingConvention;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a unit from being added to the name of one metric: Prometheus' convention would call the timer
 * {@code outbox_process_latency_seconds}. A summary, which gets no suffix, is no way out: its buckets round up to whole
 * numbers.
 */
final class LatencyNaming implements NamingConvention {
    static final String LATENCY = "outbox.process.latency";
    private static final String SUFFIX = "_seconds";

    private final NamingConvention usual;

    private LatencyNaming(NamingConvention usual) {
        this.usual = usual;
    }

    static void install(MeterRegistry registry) {
        NamingConvention present = registry.config().namingConvention();
        if (!(present instanceof LatencyNaming)) {
            registry.config().namingConvention(new LatencyNaming(present));
        }
    }

    @Override
    public String name(String name, Meter.Type type, @Nullable String baseUnit) {
        String given = usual.name(name, type, baseUnit);
        return name.equals(LATENCY) && given.endsWith(SUFFIX)
                ? given.substring(0, given.length() - SUFFIX.length())
                : given;
    }

    @Override
    public String tagKey(String key) {
        return usual.tagKey(key);
    }

    @Override
    public String tagValue(String value) {
        return usual.tagValue(value);
    }
}
