package io.waybill.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.waybill.saga.Command;
import io.waybill.saga.Saga;
import io.waybill.saga.SagaStatus;
import io.waybill.saga.Sagas;
import io.waybill.saga.test.MemorySagaStore;
import io.waybill.saga.test.MemoryTransaction;
import io.waybill.store.StoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Dashboards and alerts use these names, so a new version of the client must not change them unnoticed. */
class SagaMetricNamesTest {
    private static final UUID ID = UUID.randomUUID();

    private static final Saga<String> ORDER = Saga.named("order", String.class)
            .step("reserve")
            .command(data -> Command.to("stock.reserve", "1", data))
            .onReply("stock.reserved")
            .timeout(Duration.ofSeconds(10))
            .pivot()
            .build();

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    @Test
    void theMetricsOfAnEngineHaveTheirDocumentedNames() {
        SagaMetrics metrics = SagaMetrics.on(registry);
        metrics.started(ID, "order", "1");
        assertThat(registry.scrape())
                .as("all counters of a definition exist before their first increment")
                .contains(
                        "\nsaga_execution_total{saga=\"order\",status=\"rolled_back\"} 0.0\n",
                        "\nsaga_compensations_total{saga=\"order\"} 0.0\n",
                        "\nsaga_stuck_total{saga=\"order\"} 0.0\n",
                        "\nsaga_stale_replies_total{saga=\"order\"} 0.0\n");
        metrics.stepSucceeded(ID, "order", "reserve", Duration.ofMillis(300));
        metrics.stepCompensated(ID, "order", "reserve");
        metrics.stuck(ID, "order", "reserve", "down");
        metrics.staleReply(ID, "order", "stock.reserved");
        metrics.ended(ID, "order", "1", SagaStatus.FAILED, Duration.ofSeconds(2));
        metrics.ended(ID, "order", "2", SagaStatus.COMPLETED, Duration.ofSeconds(2));
        assertThat(registry.scrape())
                .contains(
                        "\nsaga_execution_total{saga=\"order\",status=\"completed\"} 1.0\n",
                        "\nsaga_execution_total{saga=\"order\",status=\"failed\"} 1.0\n",
                        "saga_execution_duration_seconds_bucket{saga=\"order\",status=\"completed\",le=\"5.0\"} 1\n",
                        "saga_step_duration_seconds_bucket{saga=\"order\",step=\"reserve\",le=\"0.25\"} 0\n",
                        "saga_step_duration_seconds_bucket{saga=\"order\",step=\"reserve\",le=\"1.0\"} 1\n",
                        "\nsaga_compensations_total{saga=\"order\"} 1.0\n",
                        "\nsaga_stuck_total{saga=\"order\"} 1.0\n",
                        "\nsaga_stale_replies_total{saga=\"order\"} 1.0\n");
    }

    @Test
    void theNumberOfSagasIsReadFromTheTables() {
        MemorySagaStore store = new MemorySagaStore();
        Sagas<MemoryTransaction> engine =
                Sagas.builder(store, store.outbox()).add(ORDER).build();
        engine.register();
        engine.start(ORDER, "1", "{}");
        store.advance(Duration.ofSeconds(15)); // the time-out of the step was five seconds ago
        try (SagaGauges gauges = SagaGauges.of(store.view())) {
            gauges.bindTo(registry);
            registry.scrape(); // a definition appears with the scrape after the first answer
            assertThat(registry.scrape())
                    .contains(
                            "\nsaga_up 1.0\n",
                            "\nsaga_active_count{saga=\"order\",status=\"executing\"} 1.0\n",
                            "\nsaga_active_count{saga=\"order\",status=\"failed\"} 0.0\n",
                            "\nsaga_stuck_count{saga=\"order\"} 0.0\n",
                            "\nsaga_oldest_active_age_seconds{saga=\"order\"} 15.0\n",
                            "\nsaga_timer_lag_seconds{saga=\"order\"} 5.0\n");
        }
    }

    @Test
    void aDatabaseWithoutSagasHasNoGaugesAndAFailingOneIsDown() {
        try (SagaGauges none = SagaGauges.ofOptional(Optional::empty)) {
            none.bindTo(registry);
            assertThat(registry.scrape()).contains("\nsaga_up NaN\n").doesNotContain("saga_stuck");
        }
        PrometheusMeterRegistry other = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (SagaGauges failing = SagaGauges.ofOptional(() -> {
            throw new StoreException("gone", null);
        })) {
            failing.bindTo(other);
            assertThat(other.scrape()).contains("\nsaga_up 0.0\n");
        }
    }
}
