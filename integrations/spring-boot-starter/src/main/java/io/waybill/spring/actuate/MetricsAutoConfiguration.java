package io.waybill.spring.actuate;

import io.micrometer.core.instrument.MeterRegistry;
import io.waybill.micrometer.InboxGauges;
import io.waybill.micrometer.InboxMetrics;
import io.waybill.micrometer.OutboxGauges;
import io.waybill.micrometer.RelayMetrics;
import io.waybill.spring.InboxConsumer;
import io.waybill.spring.internal.inbox.StoredInbox;
import io.waybill.spring.internal.outbox.StoredOutbox;
import io.waybill.spring.internal.relay.RelayAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.event.ContextRefreshedEvent;

/** Registers Waybill's metrics in the application's registry. */
@AutoConfiguration(
        after = RelayAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass({MeterRegistry.class, RelayMetrics.class})
@ConditionalOnBean({MeterRegistry.class, InboxConsumer.class})
class MetricsAutoConfiguration {

    @Bean
    OutboxGauges waybillOutboxGauges(StoredOutbox outbox) {
        return OutboxGauges.of(outbox.view());
    }

    /**
     * This bean and the next one are lazy: the relay and the inbox create them on first use, so that an unused relay or inbox
     * registers no metrics.
     */
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

    /**
     * Registers the gauges only if the application has handlers, because otherwise the tables may be missing. The handlers
     * are known when the context is refreshed.
     */
    @Bean
    ApplicationListener<ContextRefreshedEvent> waybillInboxGauges(
            MeterRegistry registry, StoredInbox<?> inbox, InboxConsumer consumer) {
        return refreshed -> {
            if (consumer.hasHandlers()) {
                InboxGauges.of(inbox.view(), consumer.group()).bindTo(registry);
            }
        };
    }
}
