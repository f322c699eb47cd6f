package io.waybill.spring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Kafka's clients log all their settings at level info, about a hundred lines each. */
class QuietKafkaLoggingTest {
    private static final String SETTINGS = "org.apache.kafka.clients.producer.ProducerConfig";

    @Test
    void theSettingsOfKafkasClientsAreNotLogged() {
        try (ConfigurableApplicationContext application = start("spring.main.banner-mode=off")) {
            assertThat(application.getEnvironment().getProperty("logging.level." + SETTINGS))
                    .isEqualTo("warn");
            assertThat(LoggerFactory.getLogger(SETTINGS).isInfoEnabled()).isFalse();
            assertThat(LoggerFactory.getLogger("org.apache.kafka.clients.NetworkClient")
                            .isInfoEnabled())
                    .isTrue();
        }
    }

    @Test
    void theLogLevelsOfAnApplicationAreKept() {
        try (ConfigurableApplicationContext application = start("logging.level.org.apache.kafka=info")) {
            assertThat(application.getEnvironment().getProperty("logging.level." + SETTINGS))
                    .isNull();
            assertThat(LoggerFactory.getLogger(SETTINGS).isInfoEnabled()).isTrue();
        }
    }

    private static ConfigurableApplicationContext start(String property) {
        return new SpringApplicationBuilder(Empty.class)
                .web(WebApplicationType.NONE)
                .properties(property)
                .run();
    }

    static class Empty {}
}
