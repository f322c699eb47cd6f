package io.waybill.examples.polyshop.order;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import io.waybill.examples.polyshop.service.Alerts;
import io.waybill.examples.polyshop.service.RequestContext;
import io.waybill.examples.polyshop.service.ServiceSettings;
import io.waybill.examples.polyshop.service.Tokens;
import io.waybill.examples.polyshop.service.Tracing;
import io.waybill.inbox.InboxListener;
import io.waybill.spring.EventHeaders;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** The service order. */
@SpringBootApplication(proxyBeanMethods = false)
public class OrderApplication {
    private static final String NAME = "order-service";

    /** Starts the service. */
    public static ConfigurableApplicationContext start(Map<String, String> environment) {
        ServiceSettings settings = ServiceSettings.of(NAME, environment);
        Duration retry = settings.duration("RETRY_FIRST_DELAY", Duration.ofSeconds(1));
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("spring.application.name", NAME);
        properties.put("spring.main.banner-mode", "off");
        properties.put("spring.datasource.url", settings.jdbcUrl());
        properties.put("spring.datasource.hikari.maximum-pool-size", 12);
        properties.put("spring.datasource.hikari.minimum-idle", 1);
        properties.put("spring.datasource.hikari.connection-timeout", 5_000);
        properties.put("server.address", "127.0.0.1");
        properties.put("server.port", settings.port());
        properties.put("server.tomcat.threads.min-spare", 2);
        properties.put("waybill.transport", "kafka");
        properties.put("waybill.kafka.bootstrap-servers", settings.kafka());
        properties.put("waybill.kafka.consumer.metadata.max.age.ms", "5000");
        properties.put("waybill.schema", "apply");
        properties.put("waybill.relay.enabled", "false"); // `waybill relay` serves the outboxes of all services
        properties.put("waybill.inbox.retry.max-attempts", 6);
        properties.put("waybill.inbox.retry.first-delay", retry.toMillis() + "ms");
        properties.put(
                "waybill.inbox.retry.longest-delay", retry.multipliedBy(16).toMillis() + "ms");
        settings.find("LOG_CONFIG").ifPresent(config -> properties.put("logging.config", config));
        SpringApplication application = new SpringApplication(OrderApplication.class);
        application.setDefaultProperties(properties);
        application.addInitializers(context -> context.getBeanFactory().registerSingleton("serviceSettings", settings));
        return application.run();
    }

    @Bean
    Tracing tracing(ServiceSettings settings) {
        return Tracing.start(settings);
    }

    @Bean(destroyMethod = "") // the bean above closes it
    OpenTelemetry openTelemetry(Tracing tracing) {
        return tracing.sdk();
    }

    @Bean
    Tokens tokens(ServiceSettings settings) {
        return Tokens.of(settings.jwksUrl());
    }

    @Bean
    EventHeaders requestHeaders() {
        return RequestContext::headers;
    }

    @Bean
    PrometheusMeterRegistry metricsRegistry() {
        return new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    }

    @Bean
    InboxListener alerts(PrometheusMeterRegistry metrics) {
        return new Alerts(NAME, metrics);
    }

    public static void main(String[] arguments) {
        start(System.getenv());
    }
}
