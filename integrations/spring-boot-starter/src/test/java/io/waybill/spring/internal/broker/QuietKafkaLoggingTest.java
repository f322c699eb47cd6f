package io.waybill.spring.internal.broker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Kafka's clients log all their settings at level info, about a hundred lines each. */
class QuietKafkaLoggingTest {
    private static final String SETTINGS = "org.apache.kafka.clients.producer.ProducerConfig";
    private static final String SETTINGS_SINCE_4_2 = "org.apache.kafka.common.config.AbstractConfig";

    @Test
    void theSettingsOfKafkasClientsAreNotLogged() {
        try (ConfigurableApplicationContext application = start("spring.main.banner-mode=off")) {
            assertThat(application.getEnvironment().getProperty("logging.level." + SETTINGS))
                    .isEqualTo("warn");
            assertThat(LoggerFactory.getLogger(SETTINGS).isInfoEnabled()).isFalse();
            assertThat(LoggerFactory.getLogger(SETTINGS_SINCE_4_2).isInfoEnabled())
                    .isFalse();
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
