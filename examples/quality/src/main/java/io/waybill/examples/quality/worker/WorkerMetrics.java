package io.waybill.examples.quality.worker;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.waybill.Event;
import io.waybill.inbox.InboxListener;
import io.waybill.inbox.Outcome;
import io.waybill.relay.RelayListener;
import java.time.Duration;
import java.util.Locale;
import org.springframework.stereotype.Component;

/** What the worker does: looks for events, and handles them. */
@Component
class WorkerMetrics implements RelayListener, InboxListener {
    private final MeterRegistry registry;
    private final Timer polls;

    WorkerMetrics(MeterRegistry registry) {
        this.registry = registry;
        this.polls = histogram("worker.poll.duration").register(registry);
    }

    @Override
    public void looked(Look look, Duration took) {
        registry.counter("worker.poll.iterations", "result", switch (look) {
                    case FOUND -> "ok";
                    case NOTHING -> "empty";
                    case FAILED -> "error";
                })
                .increment();
        polls.record(took);
    }

    @Override
    public void handled(Event event, Outcome outcome, Duration took) {
        String status = outcome.name().toLowerCase(Locale.ROOT);
        registry.counter("worker.jobs.processed", "status", status, "event_type", event.type())
                .increment();
        histogram("worker.job.duration").tag("event_type", event.type()).register(registry).record(took);
    }

    private static Timer.Builder histogram(String name) {
        return Timer.builder(name).publishPercentileHistogram();
    }
}
