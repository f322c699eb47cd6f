package io.waybill.spring3;

import io.waybill.jdbc.JdbcEngine;
import io.waybill.spring.RelayLifecycle;
import io.waybill.spring.WaybillProperties;
import io.waybill.spring.actuate.OutboxHealthReport;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Configures the health indicator with the classes of Spring Boot 3.5. */
@AutoConfiguration(afterName = "io.waybill.spring.RelayAutoConfiguration")
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(RelayLifecycle.class)
class HealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "outboxHealthIndicator")
    @ConditionalOnEnabledHealthIndicator("outbox")
    OutboxHealthIndicator outboxHealthIndicator(
            JdbcEngine engine, RelayLifecycle publisher, WaybillProperties properties) {
        return new OutboxHealthIndicator(() -> OutboxHealthReport.of(engine, publisher, properties));
    }
}
