package io.waybill.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.waybill.Event;
import io.waybill.relay.RelayListener;
import io.waybill.store.Lease;
import io.waybill.transport.Failure;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Metrics of one relay. The number of pending events is not one of them, because a relay that does not run cannot count events:
 * see {@link OutboxGauges}.
 */
public final class RelayMetrics implements RelayListener {
    /** Bucket limits, from milliseconds up to the length of a long outage. */
    private static final Duration[] LATENCIES = {
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofMillis(2_500),
        Duration.ofSeconds(5),
        Duration.ofSeconds(10),
        Duration.ofSeconds(30),
        Duration.ofMinutes(1),
        Duration.ofMinutes(5),
        Duration.ofMinutes(15),
        Duration.ofHours(1),
        Duration.ofHours(6),
        Duration.ofDays(1)
    };

    private static final double[] BATCHES = {1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000};

    private final Counter published;
    private final Counter leaseLosses;
    private final Counter fenceRejections;
    private final Timer latency;
    private final DistributionSummary batchSize;
    private final Map<Failure.Kind, Counter> failures = new EnumMap<>(Failure.Kind.class);
    private final AtomicBoolean outage = new AtomicBoolean();

    private RelayMetrics(MeterRegistry registry, Tags tags) {
        published = Counter.builder("outbox.published")
                .description("Events that the broker has acknowledged")
                .tags(tags)
                .register(registry);
        leaseLosses = Counter.builder("outbox.lease.losses")
                .description("Lanes that this relay lost without releasing them")
                .tags(tags)
                .register(registry);
        fenceRejections = Counter.builder("outbox.fence.rejections")
                .description("Writes of this relay that were refused because they came too late")
                .tags(tags)
                .register(registry);
        LatencyNaming.install(registry);
        latency = Timer.builder(LatencyNaming.LATENCY)
                .description("Seconds from an event's insert to the broker's acknowledgement")
                .serviceLevelObjectives(LATENCIES)
                .tags(tags)
                .register(registry);
        batchSize = DistributionSummary.builder("outbox.batch.size")
                .description("Events claimed at once")
                .serviceLevelObjectives(BATCHES)
                .tags(tags)
                .register(registry);
        for (Failure.Kind kind : Failure.Kind.values()) {
            failures.put(
                    kind,
                    Counter.builder("outbox.failure.count")
                            .description("Failed attempts to publish")
                            .tag("kind", kind.name().toLowerCase(Locale.ROOT))
                            .tags(tags)
                            .register(registry));
        }
        Gauge.builder("outbox.broker.up", outage, broken -> broken.get() ? 0 : 1)
                .description("0 while the relay pauses because the broker does not answer")
                .strongReference(true)
                .tags(tags)
                .register(registry);
    }

    public static RelayMetrics on(MeterRegistry registry) {
        return on(registry, Tags.empty());
    }

    /** @param tags added to each metric, to tell several relays in one registry apart; with the same keys for all of them */
    public static RelayMetrics on(MeterRegistry registry, Iterable<Tag> tags) {
        return new RelayMetrics(registry, Tags.of(tags));
    }

    @Override
    public void published(Event event, Duration insertToAcknowledgement) {
        published.increment();
        latency.record(insertToAcknowledgement);
    }

    @Override
    public void failed(Event event, Failure failure) {
        Counter count = failures.get(failure.kind());
        if (count != null) {
            count.increment();
        }
    }

    @Override
    public void batch(int size) {
        batchSize.record(size);
    }

    @Override
    public void leaseLost(Lease lease) {
        leaseLosses.increment();
    }

    @Override
    public void fenceRejected(Lease lease) {
        fenceRejections.increment();
    }

    @Override
    public void outageBegan(String reason) {
        outage.set(true);
    }

    @Override
    public void outageEnded(Duration duration) {
        outage.set(false);
    }
}
