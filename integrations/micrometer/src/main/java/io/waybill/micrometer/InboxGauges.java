package io.waybill.micrometer;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.waybill.WaybillException;
import io.waybill.inbox.InboxStatus;
import io.waybill.inbox.InboxView;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * Gauges for the waiting events and the dead letters of a group's inbox. Each scrape reads them from the tables, so they are correct
 * also when no consumer runs. A result is cached for a second; when the database does not answer, the values are NaN.
 */
public final class InboxGauges implements MeterBinder {
    private static final long FRESH = 1_000_000_000L;

    private final InboxView view;
    private final String group;
    private Optional<InboxStatus> latest = Optional.empty();
    private boolean asked;
    private long askedAt;

    private InboxGauges(InboxView view, String group) {
        this.view = view;
        this.group = group;
    }

    public static InboxGauges of(InboxView view, String group) {
        return new InboxGauges(requireNonNull(view, "view"), requireNonNull(group, "group"));
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
                        this,
                        gauges -> gauges.value(s -> s.oldestAge().toMillis() / 1e3))
                .baseUnit("seconds")
                .description("Age of the oldest event that waits in the inbox")
                .tag("group", group)
                .strongReference(true)
                .register(registry);
    }

    private void gauge(MeterRegistry registry, String name, String description, ToDoubleFunction<InboxStatus> part) {
        Gauge.builder(name, this, gauges -> gauges.value(part))
                .description(description)
                .tag("group", group)
                .strongReference(true)
                .register(registry);
    }

    private synchronized double value(ToDoubleFunction<InboxStatus> part) {
        if (!asked || System.nanoTime() - askedAt > FRESH) {
            latest = ask();
            asked = true;
            askedAt = System.nanoTime();
        }
        return latest.map(part::applyAsDouble).orElse(Double.NaN);
    }

    private Optional<InboxStatus> ask() {
        try {
            return Optional.of(view.status(group));
        } catch (WaybillException e) {
            return Optional.empty();
        }
    }
}
