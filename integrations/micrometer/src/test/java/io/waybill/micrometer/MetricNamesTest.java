package io.waybill.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.waybill.Event;
import io.waybill.admin.AuditEntry;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventRecord;
import io.waybill.admin.OutboxStatus;
import io.waybill.admin.OutboxView;
import io.waybill.store.Lease;
import io.waybill.store.StoreException;
import io.waybill.transport.Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Dashboards and alerts use these names, so a new version of the client must not change them unnoticed. */
class MetricNamesTest {
    private static final Event EVENT = Event.of("t", "T", "1", "{}");
    private static final OutboxStatus.LaneStatus LANE =
            new OutboxStatus.LaneStatus(3, "", 1, Duration.ZERO, true, Duration.ofSeconds(90));
    private static final Lease LEASE = new Lease(1, "r", 1);

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    @Test
    void theMetricsOfARelayHaveTheirDocumentedNames() {
        RelayMetrics metrics = RelayMetrics.on(registry);
        metrics.published(EVENT, Duration.ofMillis(300));
        metrics.failed(EVENT, Failure.permanent("too large"));
        metrics.batch(7);
        metrics.leaseLost(LEASE);
        metrics.fenceRejected(LEASE);
        metrics.outageBegan("down");

        assertThat(registry.scrape())
                .contains(
                        "# TYPE outbox_process_latency histogram",
                        "outbox_process_latency_bucket{le=\"0.25\"} 0\n",
                        "outbox_process_latency_bucket{le=\"0.5\"} 1\n",
                        "outbox_process_latency_count 1\n",
                        "outbox_process_latency_sum 0.3\n",
                        "\noutbox_failure_count_total{kind=\"permanent\"} 1.0\n",
                        "\noutbox_failure_count_total{kind=\"outage\"} 0.0\n",
                        "\noutbox_published_total 1.0\n",
                        "outbox_batch_size_bucket{le=\"10.0\"} 1\n",
                        "\noutbox_lease_losses_total 1.0\n",
                        "\noutbox_fence_rejections_total 1.0\n",
                        "\noutbox_broker_up 0.0\n");
        metrics.outageEnded(Duration.ofSeconds(1));
        assertThat(registry.scrape()).contains("\noutbox_broker_up 1.0\n");
    }

    @Test
    void severalOutboxesInOneRegistryAreToldApartByATag() {
        AtomicInteger asked = new AtomicInteger();
        try (OutboxGauges order = OutboxGauges.of(
                        view(() -> {
                            asked.incrementAndGet();
                            return new OutboxStatus(
                                    Instant.EPOCH,
                                    5,
                                    1,
                                    2,
                                    3,
                                    4,
                                    6,
                                    Duration.ZERO,
                                    0,
                                    List.of(),
                                    List.of(LANE),
                                    List.of());
                        }),
                        Tags.of("outbox", "order"));
                OutboxGauges payment = OutboxGauges.of(
                        view(() -> {
                            throw new StoreException("gone", new IllegalStateException());
                        }),
                        Tags.of("outbox", "payment"))) {
            order.bindTo(registry);
            payment.bindTo(registry);
            RelayMetrics.on(registry, Tags.of("outbox", "order")).published(EVENT, Duration.ZERO);
            RelayMetrics.on(registry, Tags.of("outbox", "payment"));
            order.refresh();
            payment.refresh();
            assertThat(registry.scrape())
                    .contains(
                            "\noutbox_pending_count{outbox=\"order\"} 5.0\n",
                            "\noutbox_pending_count{outbox=\"payment\"} NaN\n",
                            "\noutbox_lane_lag_seconds{lane=\"3\",outbox=\"order\"} 90.0\n",
                            "\noutbox_up{outbox=\"order\"} 1.0\n",
                            "\noutbox_up{outbox=\"payment\"} 0.0\n",
                            "\noutbox_published_total{outbox=\"order\"} 1.0\n",
                            "\noutbox_published_total{outbox=\"payment\"} 0.0\n");
            assertThat(asked).as("a scrape after refresh reads nothing").hasValue(1);
        }
    }

    @Test
    void theNumberOfPendingEventsIsReadFromTheTables() {
        AtomicInteger asked = new AtomicInteger();
        try (OutboxGauges gauges = OutboxGauges.of(view(() -> {
            asked.incrementAndGet();
            return new OutboxStatus(
                    Instant.EPOCH, 5, 1, 2, 3, 4, 6, Duration.ofMillis(1_500), 0, List.of(), List.of(LANE), List.of());
        }))) {
            gauges.bindTo(registry);
            assertThat(registry.scrape())
                    .contains(
                            "\noutbox_pending_count 5.0\n",
                            "\noutbox_oldest_age_seconds 1.5\n",
                            "\noutbox_dead_letters 6.0\n",
                            "\noutbox_parked 3.0\n",
                            "\noutbox_blocked_keys 4.0\n",
                            "\noutbox_live_relays 0.0\n",
                            "\noutbox_up 1.0\n");
            assertThat(asked).hasValue(1);
            assertThat(registry.scrape()).contains("\noutbox_lane_lag_seconds{lane=\"3\"} 90.0\n");
        }
    }

    @Test
    void theOutboxIsDownWhenTheDatabaseFails() {
        try (OutboxGauges gauges = OutboxGauges.of(view(() -> {
            throw new StoreException("gone", null);
        }))) {
            gauges.bindTo(registry);
            assertThat(registry.scrape()).contains("\noutbox_pending_count NaN\n", "\noutbox_up 0.0\n");
        }
    }

    @Test
    void aHangingDatabaseGetsOneQueryAndBlocksAScrapeForABoundedTime() {
        AtomicInteger asked = new AtomicInteger();
        CountDownLatch never = new CountDownLatch(1);
        LatestStatus<OutboxStatus> latest = new LatestStatus<>(
                () -> {
                    asked.incrementAndGet();
                    never.await();
                    throw new StoreException("gone", null);
                },
                Duration.ofMillis(50));
        try (latest) {
            assertThat(latest.get()).isEmpty();
            assertThat(latest.get()).isEmpty();
            assertThat(asked).hasValue(1);
        }
    }

    private static OutboxView view(Supplier<OutboxStatus> status) {
        return new OutboxView() {
            @Override
            public OutboxStatus status() {
                return status.get();
            }

            @Override
            public List<EventRecord> events(EventFilter filter, int limit) {
                return List.of();
            }

            @Override
            public Optional<EventRecord> event(UUID id) {
                return Optional.empty();
            }

            @Override
            public List<AuditEntry> history(UUID id) {
                return List.of();
            }
        };
    }
}
