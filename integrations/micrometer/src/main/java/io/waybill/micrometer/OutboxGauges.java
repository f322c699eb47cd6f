package io.waybill.micrometer;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.waybill.admin.OutboxStatus;
import io.waybill.admin.OutboxView;
import java.time.Duration;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * What is pending, how old it is, what needs a person: asked of the rows when somebody scrapes, so that it is right when
 * no relay runs. One answer serves for a second. When the database gives none within two seconds, {@code outbox.up} is
 * 0 and the others are not a number.
 */
public final class OutboxGauges implements MeterBinder, AutoCloseable {
    private final LatestStatus latest;

    private OutboxGauges(LatestStatus latest) {
        this.latest = latest;
    }

    public static OutboxGauges of(OutboxView view) {
        return new OutboxGauges(
                new LatestStatus(requireNonNull(view, "view"), Duration.ofSeconds(1), Duration.ofSeconds(2)));
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("outbox.up", latest, status -> status.get().isPresent() ? 1 : 0)
                .description("Whether the outbox could be read")
                .register(registry);
        gauge(registry, "outbox.pending.count", "Events neither published nor given up on", OutboxStatus::pending);
        Gauge.builder(
                        "outbox.oldest.age",
                        latest,
                        status -> value(status, s -> s.oldestAge().toMillis() / 1e3))
                .baseUnit("seconds")
                .description("Age of the oldest pending event")
                .register(registry);
        gauge(registry, "outbox.dead.letters", "Events given up on, waiting for a person", OutboxStatus::deadLetters);
        gauge(registry, "outbox.parked", "Events waiting behind a failing event of their key", OutboxStatus::parked);
        gauge(
                registry,
                "outbox.blocked.keys",
                "Keys whose first event waits for a retry or a person",
                OutboxStatus::blockedKeys);
        MultiGauge lanes = MultiGauge.builder("outbox.lane.lag")
                .baseUnit("seconds")
                .description("How long the oldest event of a lane has waited for its first attempt")
                .register(registry);
        // Their number can change; a lane appears with the scrape after the one that saw it first.
        latest.onAnswer(status -> lanes.register(
                status.lanes().stream()
                        .map(lane -> MultiGauge.Row.of(
                                Tags.of("lane", Integer.toString(lane.lane())),
                                latest,
                                answer -> value(answer, now -> lag(now, lane.lane()))))
                        .collect(Collectors.toList()),
                false));
        gauge(registry, "outbox.live.relays", "Relays with a recent heartbeat", OutboxStatus::liveRelays);
    }

    private void gauge(MeterRegistry registry, String name, String description, ToDoubleFunction<OutboxStatus> part) {
        Gauge.builder(name, latest, status -> value(status, part))
                .description(description)
                .register(registry);
    }

    private static double value(LatestStatus latest, ToDoubleFunction<OutboxStatus> part) {
        return latest.get().map(status -> part.applyAsDouble(status)).orElse(Double.NaN);
    }

    private static double lag(OutboxStatus status, int number) {
        return status.lanes().stream()
                .filter(lane -> lane.lane() == number)
                .mapToDouble(lane -> lane.lag().toMillis() / 1e3)
                .findFirst()
                .orElse(Double.NaN);
    }

    /** Ends the thread that asks. */
    @Override
    public void close() {
        latest.close();
    }
}
