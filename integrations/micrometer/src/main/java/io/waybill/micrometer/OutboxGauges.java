package io.waybill.micrometer;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.waybill.admin.OutboxStatus;
import io.waybill.admin.OutboxView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToDoubleFunction;

/**
 * Gauges for pending events, their age and dead letters. Each scrape reads them from the tables, so they are correct also when no
 * relay runs. A result is cached for a second. When the database does not answer within two seconds, {@code outbox.up} is 0 and the
 * others are NaN.
 */
public final class OutboxGauges implements MeterBinder, AutoCloseable {
    /** How long a scrape waits for the database. */
    static final Duration LIMIT = Duration.ofSeconds(2);

    private final LatestStatus<OutboxStatus> latest;
    private final List<MultiGauge> lanes = new CopyOnWriteArrayList<>();
    private final Tags tags;

    private OutboxGauges(OutboxView view, Tags tags) {
        this.tags = tags;
        this.latest = new LatestStatus<>(
                () -> {
                    OutboxStatus status = view.status();
                    lanes.forEach(gauge -> gauge.register(rows(status), false));
                    return status;
                },
                LIMIT);
    }

    public static OutboxGauges of(OutboxView view) {
        return of(view, Tags.empty());
    }

    /** @param tags added to each gauge, to tell several outboxes in one registry apart; with the same keys for all of them */
    public static OutboxGauges of(OutboxView view, Iterable<Tag> tags) {
        return new OutboxGauges(requireNonNull(view, "view"), Tags.of(tags));
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("outbox.up", latest, status -> status.get().isPresent() ? 1 : 0)
                .description("Whether the outbox could be read")
                .tags(tags)
                .register(registry);
        gauge(
                registry,
                "outbox.pending.count",
                "Events that are neither published nor dead letters",
                OutboxStatus::pending);
        Gauge.builder(
                        "outbox.oldest.age",
                        latest,
                        status -> status.value(s -> s.oldestAge().toMillis() / 1e3))
                .baseUnit("seconds")
                .description("Age of the oldest pending event")
                .tags(tags)
                .register(registry);
        gauge(registry, "outbox.dead.letters", "Dead letters that wait for an operator", OutboxStatus::deadLetters);
        gauge(registry, "outbox.parked", "Events waiting behind a failing event of their key", OutboxStatus::parked);
        gauge(
                registry,
                "outbox.blocked.keys",
                "Keys whose first event waits for a retry or an operator",
                OutboxStatus::blockedKeys);
        // The number of lanes can change; a new lane appears one scrape later.
        lanes.add(MultiGauge.builder("outbox.lane.lag")
                .baseUnit("seconds")
                .description("How long the oldest event of a lane has waited for its first attempt")
                .tags(tags)
                .register(registry));
        gauge(registry, "outbox.live.relays", "Relays with a recent heartbeat", OutboxStatus::liveRelays);
    }

    private void gauge(MeterRegistry registry, String name, String description, ToDoubleFunction<OutboxStatus> part) {
        Gauge.builder(name, latest, status -> status.value(part))
                .description(description)
                .tags(tags)
                .register(registry);
    }

    private Iterable<MultiGauge.Row<?>> rows(OutboxStatus status) {
        List<MultiGauge.Row<?>> rows = new ArrayList<>();
        for (OutboxStatus.LaneStatus lane : status.lanes()) {
            rows.add(MultiGauge.Row.of(
                    Tags.of("lane", Integer.toString(lane.lane())),
                    latest,
                    answer -> answer.value(now -> lag(now, lane.lane()))));
        }
        return rows;
    }

    private static double lag(OutboxStatus status, int number) {
        return status.lanes().stream()
                .filter(lane -> lane.lane() == number)
                .mapToDouble(lane -> lane.lag().toMillis() / 1e3)
                .findFirst()
                .orElse(Double.NaN);
    }

    /**
     * Reads the status now. From then on, the gauges show the result of the last call instead of reading the tables at each scrape. For
     * a registry with the gauges of several outboxes: refresh them in parallel before each scrape, so that outboxes that do not answer
     * delay it by two seconds together and not each in turn.
     */
    public void refresh() {
        latest.refresh();
    }

    /** Ends the thread that reads the status. */
    @Override
    public void close() {
        latest.close();
    }
}
