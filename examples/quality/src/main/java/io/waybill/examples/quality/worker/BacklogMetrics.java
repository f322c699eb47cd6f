package io.waybill.examples.quality.worker;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;

/** Reads the {@link Backlog} at each scrape, so it is correct also when no worker runs. A result or a failure is cached for a second. */
@Component
class BacklogMetrics implements MeterBinder {
    private static final long FRESH = Duration.ofSeconds(1).toNanos();

    private final Backlogs backlogs;
    private Optional<Backlog> latest = Optional.empty();
    private long askedAt = System.nanoTime() - FRESH;

    BacklogMetrics(Backlogs backlogs) {
        this.backlogs = backlogs;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        // The value goes up and down, but Prometheus reserves the suffix _total, which this name has, for counters.
        FunctionCounter.builder("outbox.unprocessed", this, self -> self.value(Backlog::unprocessed))
                .description("Committed events whose handler has not run with success")
                .register(registry);
        Gauge.builder("outbox.oldest.unprocessed.age", this, self -> self.value(Backlog::oldestAge))
                .baseUnit("seconds")
                .description("How long the oldest of these has waited")
                .register(registry);
    }

    private synchronized double value(ToDoubleFunction<Backlog> part) {
        if (System.nanoTime() - askedAt >= FRESH) {
            latest = ask();
            askedAt = System.nanoTime();
        }
        return latest.map(part::applyAsDouble).orElse(Double.NaN);
    }

    private Optional<Backlog> ask() {
        try {
            return Optional.of(backlogs.now());
        } catch (DataAccessException databaseIsOut) {
            return Optional.empty();
        }
    }
}
