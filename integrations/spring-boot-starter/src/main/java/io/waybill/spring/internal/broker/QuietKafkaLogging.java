package io.waybill.spring.internal.broker;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Stops Kafka's clients from logging all their settings at the start, about a hundred lines for each client. It changes nothing in
 * an application that configures Kafka's log levels, or its logging by a file.
 *
 * <p>It is a listener instead of an {@code EnvironmentPostProcessor}, because that interface is in a different package in each
 * major version of Spring Boot.
 */
final class QuietKafkaLogging implements ApplicationListener<ApplicationEnvironmentPreparedEvent>, Ordered {
    /** From version 4.2 on, Kafka's clients log their settings as AbstractConfig, earlier versions as the class of the client. */
    private static final Map<String, Object> DEFAULTS = Map.of(
            "logging.level.org.apache.kafka.common.config.AbstractConfig", "warn",
            "logging.level.org.apache.kafka.clients.producer.ProducerConfig", "warn",
            "logging.level.org.apache.kafka.clients.consumer.ConsumerConfig", "warn",
            "logging.level.org.apache.kafka.clients.admin.AdminClientConfig", "warn");

    private static final List<String> FILES = List.of(
            "logback-test.xml",
            "logback.xml",
            "logback-spring.xml",
            "logback-test-spring.xml",
            "log4j2-test.xml",
            "log4j2.xml",
            "log4j2-spring.xml");

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        ConfigurableEnvironment environment = event.getEnvironment();
        ClassLoader files = event.getSpringApplication().getClassLoader();
        if (!environment.containsProperty("logging.config")
                && FILES.stream().noneMatch(file -> files.getResource(file) != null)
                && levels(environment)
                        .noneMatch(name -> name.startsWith("org.apache.kafka") || name.equals("org.apache"))) {
            environment.getPropertySources().addLast(new MapPropertySource("waybillLogging", DEFAULTS));
        }
    }

    private static Stream<String> levels(ConfigurableEnvironment environment) {
        return Binder.get(environment)
                .bind("logging.level", Bindable.mapOf(String.class, String.class))
                .orElse(Map.of())
                .keySet()
                .stream();
    }

    /** Runs after Spring Boot has read the configuration files, and before it configures logging. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE + 15;
    }
}
