package io.waybill.server.cli;

import io.micrometer.core.instrument.MeterRegistry;
import io.waybill.jdbc.saga.JdbcSagaStore;
import io.waybill.jdbc.saga.SagaSchema;
import io.waybill.micrometer.SagaGauges;
import io.waybill.micrometer.SagaMetrics;
import io.waybill.saga.StepRole;
import io.waybill.saga.picture.SagaOutline;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;

/** Every metric of sagas, as an engine and a relay expose them. */
final class SagaExposition {
    private SagaExposition() {}

    /** Creates the tables with one definition, and registers all metrics. The gauges appear with the second scrape. */
    static SagaGauges on(DataSource database, MeterRegistry registry) {
        SagaSchema.apply(database);
        JdbcSagaStore store = JdbcSagaStore.on(database);
        store.register(new SagaOutline(
                "order",
                1,
                false,
                List.of(new SagaOutline.Step("pay", "local", StepRole.PIVOT, List.of(), null, null))));
        SagaMetrics metrics = SagaMetrics.on(registry);
        metrics.stepSucceeded(UUID.randomUUID(), "order", "pay", Duration.ofMillis(1));
        SagaGauges gauges = SagaGauges.of(store.view());
        gauges.bindTo(registry);
        return gauges;
    }
}
