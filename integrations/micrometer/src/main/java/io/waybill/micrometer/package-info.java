/**
 * Metrics of an outbox and its relay, for any Micrometer registry.
 *
 * <p>Names as Prometheus shows them: {@code outbox_pending_count}, {@code outbox_oldest_age_seconds},
 * {@code outbox_dead_letters}, {@code outbox_parked}, {@code outbox_blocked_keys}, {@code outbox_live_relays} and
 * {@code outbox_up} are gauges computed from the rows ({@link io.waybill.micrometer.OutboxGauges});
 * {@code outbox_process_latency} (seconds) and {@code outbox_batch_size} are histograms; {@code outbox_published_total},
 * {@code outbox_failure_count_total}, {@code outbox_lease_losses_total} and {@code outbox_fence_rejections_total} are counters,
 * to whose names Prometheus clients append {@code _total}; {@code outbox_broker_up} is a gauge ({@link io.waybill.micrometer.RelayMetrics}).
 * The metrics of sagas are those of {@link io.waybill.micrometer.SagaMetrics} and {@link io.waybill.micrometer.SagaGauges}.
 */
@NullMarked
package io.waybill.micrometer;

import org.jspecify.annotations.NullMarked;
