package io.waybill.examples.quality.worker;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.waybill.relay.RelayListener;
import java.time.Duration;
import org.springframework.stereotype.Component;

/** Counts and times the worker's polls. */
@Component
class PollMetrics implements RelayListener {
    private final MeterRegistry registry;
    private final Timer duration;

    PollMetrics(MeterRegistry registry) {
        this.registry = registry;
        this.duration = Timer.builder("worker.poll.duration")
                .publishPercentileHistogram()
                .register(registry);
    }

    @Override
    public void looked(Look look, Duration took) {
        String result = switch (look) {
            case FOUND -> "ok";
            case NOTHING -> "empty";
            case FAILED -> "error";
        };
        registry.counter("worker.poll.iterations", "result", result).increment();
        duration.record(took);
    }
}
