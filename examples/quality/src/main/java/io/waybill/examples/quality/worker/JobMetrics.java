package io.waybill.examples.quality.worker;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.waybill.Event;
import io.waybill.inbox.InboxListener;
import io.waybill.inbox.InboxOutcome;
import java.time.Duration;
import java.util.Locale;
import org.springframework.stereotype.Component;

/** Counts and times the events that the worker handles. */
@Component
class JobMetrics implements InboxListener {
    private final MeterRegistry registry;

    JobMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void handled(Event event, InboxOutcome outcome, Duration took) {
        String status = outcome.name().toLowerCase(Locale.ROOT);
        registry.counter("worker.jobs.processed", "status", status, "event_type", event.type())
                .increment();
        Timer.builder("worker.job.duration")
                .publishPercentileHistogram()
                .tag("event_type", event.type())
                .register(registry)
                .record(took);
    }
}
