package io.waybill.micrometer;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.waybill.inbox.InboxStatus;
import io.waybill.inbox.InboxView;
import java.util.function.ToDoubleFunction;

/**
 * Gauges for the waiting events and the dead letters of a group's inbox. Each scrape reads them from the tables, so they are correct
 * also when no consumer runs. A result is cached for a second. When the database does not answer within two seconds, the values are
 * NaN.
 */
public final class InboxGauges implements MeterBinder {
    private final LatestStatus<InboxStatus> latest;
    private final String group;

    private InboxGauges(LatestStatus<InboxStatus> latest, String group) {
        this.latest = latest;
        this.group = group;
    }

    public static InboxGauges of(InboxView view, String group) {
        requireNonNull(view, "view");
        requireNonNull(group, "group");
        return new InboxGauges(new LatestStatus<>(() -> view.status(group), OutboxGauges.LIMIT), group);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        gauge(registry, "inbox.retrying", "Failed events that wait for their next attempt", InboxStatus::retrying);
        gauge(
                registry,
                "inbox.parked",
                "Events that wait for another event of their key, or for a version",
                InboxStatus::parked);
        gauge(registry, "inbox.dead.letters", "Dead letters that wait for an operator", InboxStatus::deadLetters);
        gauge(
                registry,
                "inbox.paused.consumers",
                "Consumers of the group that are paused because all their attempts failed",
                InboxStatus::pausedConsumers);
        Gauge.builder(
                        "inbox.oldest.age",
                        latest,
                        status -> status.value(s -> s.oldestAge().toMillis() / 1e3))
                .baseUnit("seconds")
                .description("Age of the oldest event that waits in the inbox")
                .tag("group", group)
                .strongReference(true)
                .register(registry);
    }

    private void gauge(MeterRegistry registry, String name, String description, ToDoubleFunction<InboxStatus> part) {
        Gauge.builder(name, latest, status -> status.value(part))
                .description(description)
                .tag("group", group)
                .strongReference(true)
                .register(registry);
    }
}
