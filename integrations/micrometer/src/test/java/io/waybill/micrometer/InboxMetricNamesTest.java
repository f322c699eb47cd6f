package io.waybill.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.waybill.Event;
import io.waybill.inbox.FailureKind;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.InboxStatus;
import io.waybill.inbox.InboxView;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Dashboards and alerts use these names, so a new version of the client must not change them unnoticed. */
class InboxMetricNamesTest {
    private static final Event EVENT = Event.of("t", "T", "1", "{}");

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    @Test
    void theMetricsOfAConsumerHaveTheirDocumentedNames() {
        InboxMetrics metrics = InboxMetrics.on(registry, "stock");
        metrics.handled(EVENT, InboxOutcome.PROCESSED, Duration.ofMillis(3));
        metrics.handled(EVENT, InboxOutcome.RETRY_SCHEDULED, Duration.ofMillis(30));
        metrics.failed(EVENT, FailureKind.TRANSIENT, new IllegalStateException());
        metrics.poison(new ReceivedMessage("t", 0, 0, null, new byte[0], Map.of()), "no JSON");
        metrics.outageBegan("down");
        assertThat(registry.scrape())
                .contains(
                        "inbox_outcomes_total{group=\"stock\",outcome=\"processed\"} 1.0\n",
                        "inbox_outcomes_total{group=\"stock\",outcome=\"retry_scheduled\"} 1.0\n",
                        "inbox_outcomes_total{group=\"stock\",outcome=\"duplicate\"} 0.0\n",
                        "inbox_failures_total{group=\"stock\",kind=\"transient\"} 1.0\n",
                        "inbox_poison_total{group=\"stock\"} 1.0\n",
                        "inbox_handle_seconds_bucket{group=\"stock\",le=\"0.005\"} 1\n",
                        "inbox_handle_seconds_count{group=\"stock\"} 2\n",
                        "inbox_paused{group=\"stock\"} 1.0\n");
        metrics.outageEnded(Duration.ofSeconds(1));
        assertThat(registry.scrape()).contains("inbox_paused{group=\"stock\"} 0.0\n");
    }

    @Test
    void theNumberOfWaitingEventsIsReadFromTheTables() {
        InboxGauges.of(view(new InboxStatus("stock", 1, 2, 3, Duration.ofMillis(1_500), null, 1, null, null)), "stock")
                .bindTo(registry);
        assertThat(registry.scrape())
                .contains(
                        "inbox_retrying{group=\"stock\"} 1.0\n",
                        "inbox_parked{group=\"stock\"} 2.0\n",
                        "inbox_dead_letters{group=\"stock\"} 3.0\n",
                        "inbox_paused_consumers{group=\"stock\"} 1.0\n",
                        "inbox_oldest_age_seconds{group=\"stock\"} 1.5\n");
    }

    @Test
    void gaugesAreNaNWhenTheDatabaseFails() {
        InboxGauges.of(view(null), "stock").bindTo(registry);
        assertThat(registry.scrape()).contains("inbox_dead_letters{group=\"stock\"} NaN\n");
    }

    private static InboxView view(@Nullable InboxStatus status) {
        return new InboxView() {
            @Override
            public List<InboxStatus> status() {
                return List.of(status(""));
            }

            @Override
            public InboxStatus status(String group) {
                if (status == null) {
                    throw new StoreException("down", null);
                }
                return status;
            }
        };
    }
}
