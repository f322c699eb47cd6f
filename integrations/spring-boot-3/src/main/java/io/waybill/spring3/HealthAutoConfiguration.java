package io.waybill.spring3;

import io.waybill.saga.Sagas;
import io.waybill.spring.RelayLifecycle;
import io.waybill.spring.WaybillProperties;
import io.waybill.spring.actuate.HealthReport;
import io.waybill.spring.internal.outbox.StoredOutbox;
import io.waybill.spring.internal.relay.RelayAutoConfiguration;
import io.waybill.spring.internal.saga.SagaAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Configures the health indicators with the classes of Spring Boot 3.5. */
@AutoConfiguration(after = {RelayAutoConfiguration.class, SagaAutoConfiguration.class})
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(RelayLifecycle.class)
class HealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "outboxHealthIndicator")
    @ConditionalOnEnabledHealthIndicator("outbox")
    ReportedHealth outboxHealthIndicator(StoredOutbox outbox, RelayLifecycle publisher, WaybillProperties properties) {
        return new ReportedHealth(
                "The outbox cannot be read", () -> HealthReport.ofOutbox(outbox.view(), publisher, properties));
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Sagas.class)
    @ConditionalOnBean(Sagas.class)
    static class SagaHealth {
        @Bean
        @ConditionalOnMissingBean(name = "waybillSagasHealthIndicator")
        @ConditionalOnEnabledHealthIndicator("waybillSagas")
        ReportedHealth waybillSagasHealthIndicator(Sagas<?> sagas, WaybillProperties properties) {
            return new ReportedHealth("The sagas cannot be read", () -> HealthReport.ofSagas(sagas, properties));
        }
    }
}
