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
    public void polled(PollResult result, Duration took) {
        String label = switch (result) {
            case FOUND -> "ok";
            case EMPTY -> "empty";
            case FAILED -> "error";
        };
        registry.counter("worker.poll.iterations", "result", label).increment();
        duration.record(took);
    }
}
