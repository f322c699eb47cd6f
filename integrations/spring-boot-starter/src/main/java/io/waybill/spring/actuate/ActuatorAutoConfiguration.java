package io.waybill.spring.actuate;

import io.waybill.saga.Sagas;
import io.waybill.spring.InboxConsumer;
import io.waybill.spring.RelayLifecycle;
import io.waybill.spring.WaybillProperties;
import io.waybill.spring.internal.inbox.StoredInbox;
import io.waybill.spring.internal.outbox.StoredOutbox;
import io.waybill.spring.internal.relay.RelayAutoConfiguration;
import io.waybill.spring.internal.saga.SagaAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Configures the endpoint and, with Spring Boot 4, the health indicators. */
@AutoConfiguration(after = {RelayAutoConfiguration.class, SagaAutoConfiguration.class})
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(RelayLifecycle.class)
class ActuatorAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint
    OutboxEndpoint waybillOutboxEndpoint(
            StoredOutbox outbox, StoredInbox<?> inbox, RelayLifecycle publisher, InboxConsumer consumer) {
        return new OutboxEndpoint(outbox, inbox, publisher, consumer);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    static class OutboxHealth {
        @Bean
        @ConditionalOnMissingBean(name = "outboxHealthIndicator")
        @ConditionalOnEnabledHealthIndicator("outbox")
        ReportedHealth outboxHealthIndicator(
                StoredOutbox outbox, RelayLifecycle publisher, WaybillProperties properties) {
            return new ReportedHealth(
                    "The outbox cannot be read", () -> HealthReport.ofOutbox(outbox.view(), publisher, properties));
        }

        @Bean
        @ConditionalOnMissingBean(name = "waybillInboxHealthIndicator")
        @ConditionalOnEnabledHealthIndicator("waybillInbox")
        ReportedHealth waybillInboxHealthIndicator(StoredInbox<?> inbox, InboxConsumer consumer) {
            return new ReportedHealth("The inbox cannot be read", () -> HealthReport.ofInbox(inbox.view(), consumer));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class, Sagas.class})
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
