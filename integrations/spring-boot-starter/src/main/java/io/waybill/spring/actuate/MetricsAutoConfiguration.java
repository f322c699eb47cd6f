package io.waybill.spring.actuate;

import io.micrometer.core.instrument.MeterRegistry;
import io.waybill.jdbc.JdbcEngine;
import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.micrometer.InboxGauges;
import io.waybill.micrometer.InboxMetrics;
import io.waybill.micrometer.OutboxGauges;
import io.waybill.micrometer.RelayMetrics;
import io.waybill.spring.InboxConsumer;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.event.ContextRefreshedEvent;

/** Registers Waybill's metrics in the application's registry. */
@AutoConfiguration(
        afterName = {
            "io.waybill.spring.RelayAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass({MeterRegistry.class, RelayMetrics.class})
@ConditionalOnBean({MeterRegistry.class, InboxConsumer.class})
class MetricsAutoConfiguration {

    @Bean
    OutboxGauges waybillOutboxGauges(JdbcEngine engine) {
        return OutboxGauges.of(engine.view());
    }

    /** Lazy, as the next bean: the relay and the inbox create them on first use, so that unused parts register no metrics. */
    @Bean
    @Lazy
    RelayMetrics waybillRelayMetrics(MeterRegistry registry) {
        return RelayMetrics.on(registry);
    }

    @Bean
    @Lazy
    InboxMetrics waybillInboxMetrics(MeterRegistry registry, InboxConsumer consumer) {
        return InboxMetrics.on(registry, consumer.group());
    }

    /** Registers gauges only when there are handlers, which is known late: without handlers, the tables may be missing. */
    @Bean
    ApplicationListener<ContextRefreshedEvent> waybillInboxGauges(
            MeterRegistry registry, JdbcInbox inbox, InboxConsumer consumer) {
        return refreshed -> {
            if (consumer.hasHandlers()) {
                InboxGauges.of(inbox.view(), consumer.group()).bindTo(registry);
            }
        };
    }
}
