package io.waybill.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.waybill.Event;
import io.waybill.inbox.FailureKind;
import io.waybill.inbox.InboxListener;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.ReceivedMessage;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Metrics of one consumer of a group: {@code inbox_outcomes_total} by outcome, {@code inbox_handle_seconds}, {@code
 * inbox_failures_total} by kind, {@code inbox_poison_total} and {@code inbox_paused}. {@link InboxGauges} has the numbers of waiting
 * events and dead letters, which it reads from the tables.
 */
public final class InboxMetrics implements InboxListener {
    private static final Duration[] TIMES = {
        Duration.ofMillis(1),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5),
        Duration.ofSeconds(30)
    };

    private final Map<InboxOutcome, Counter> outcomes = new EnumMap<>(InboxOutcome.class);
    private final Map<FailureKind, Counter> failures = new EnumMap<>(FailureKind.class);
    private final Counter poison;
    private final Timer time;
    private final AtomicBoolean paused = new AtomicBoolean();

    private InboxMetrics(MeterRegistry registry, String group) {
        for (InboxOutcome outcome : InboxOutcome.values()) {
            outcomes.put(
                    outcome,
                    Counter.builder("inbox.outcomes")
                            .description("Events by outcome")
                            .tag("group", group)
                            .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
                            .register(registry));
        }
        for (FailureKind verdict : FailureKind.values()) {
            failures.put(
                    verdict,
                    Counter.builder("inbox.failures")
                            .description("Failed handlers, by kind of failure")
                            .tag("group", group)
                            .tag("kind", verdict.name().toLowerCase(Locale.ROOT))
                            .register(registry));
        }
        poison = Counter.builder("inbox.poison")
                .description("Messages that could not be read")
                .tag("group", group)
                .register(registry);
        time = Timer.builder("inbox.handle")
                .description("Time from the delivery of an event to the commit of its outcome")
                .tag("group", group)
                .serviceLevelObjectives(TIMES)
                .register(registry);
        Gauge.builder("inbox.paused", paused, now -> now.get() ? 1 : 0)
                .description("1 while this consumer is paused because the database is down or all its attempts failed")
                .tag("group", group)
                .strongReference(true)
                .register(registry);
    }

    public static InboxMetrics on(MeterRegistry registry, String group) {
        return new InboxMetrics(registry, group);
    }

    @Override
    public void handled(Event event, InboxOutcome outcome, Duration took) {
        count(outcomes.get(outcome));
        time.record(took);
    }

    @Override
    public void poison(ReceivedMessage message, String reason) {
        poison.increment();
    }

    @Override
    public void failed(Event event, FailureKind verdict, Throwable cause) {
        count(failures.get(verdict));
    }

    private static void count(@Nullable Counter counter) {
        if (counter != null) {
            counter.increment();
        }
    }

    @Override
    public void outageBegan(String reason) {
        paused.set(true);
    }

    @Override
    public void outageEnded(Duration duration) {
        paused.set(false);
    }
}
