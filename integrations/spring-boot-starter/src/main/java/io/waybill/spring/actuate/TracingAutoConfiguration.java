package io.waybill.spring.actuate;

import io.opentelemetry.api.OpenTelemetry;
import io.waybill.inbox.InboxTracer;
import io.waybill.opentelemetry.WaybillTracing;
import io.waybill.relay.RelayListener;
import io.waybill.spring.EventHeaders;
import io.waybill.spring.InboxConsumer;
import io.waybill.spring.internal.broker.TransportChoice;
import io.waybill.spring.internal.relay.RelayAutoConfiguration;
import java.util.Locale;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/**
 * Traces events with the application's OpenTelemetry. Micrometer's bridge to OpenTelemetry uses the same current span, so observations of
 * the application are parents of events, and handlers are parents of observations.
 */
@AutoConfiguration(
        after = RelayAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.opentelemetry.OpenTelemetryAutoConfiguration",
            "io.opentelemetry.instrumentation.spring.autoconfigure.OpenTelemetryAutoConfiguration"
        })
@ConditionalOnClass({OpenTelemetry.class, WaybillTracing.class})
@ConditionalOnBean({OpenTelemetry.class, InboxConsumer.class})
class TracingAutoConfiguration {

    /** An application that passes on baggage defines this bean. */
    @Bean
    @ConditionalOnMissingBean
    WaybillTracing waybillTracing(OpenTelemetry openTelemetry) {
        return WaybillTracing.with(openTelemetry);
    }

    @Bean
    EventHeaders waybillTraceHeaders(WaybillTracing tracing) {
        return tracing::currentHeaders;
    }

    /** This bean and the next one are lazy: the relay and the inbox create them on first use. */
    @Bean
    @Lazy
    RelayListener waybillSendSpans(WaybillTracing tracing, ApplicationContext context) {
        return tracing.relay(system(context));
    }

    @Bean
    @Lazy
    @ConditionalOnMissingBean
    InboxTracer waybillProcessSpans(WaybillTracing tracing, ApplicationContext context, InboxConsumer consumer) {
        return tracing.inbox(system(context), consumer.group());
    }

    private static String system(ApplicationContext context) {
        TransportChoice choice = TransportChoice.of(context.getEnvironment(), context, context.getClassLoader());
        return switch (choice.kind()) {
            case KAFKA, RABBITMQ, NATS -> choice.kind().name().toLowerCase(Locale.ROOT);
            default -> "waybill";
        };
    }
}
