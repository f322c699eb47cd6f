package io.waybill.micrometer;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.NamingConvention;
import org.jspecify.annotations.Nullable;

/**
 * Removes the unit from the name of one metric. By the naming convention of Prometheus, the name of this timer would be
 * {@code outbox_process_latency_seconds}. A distribution summary would have no suffix, but its buckets are rounded up to whole
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
