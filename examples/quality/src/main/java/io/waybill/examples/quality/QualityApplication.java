package io.waybill.examples.quality;

import io.waybill.examples.quality.worker.WorkerMode;
import java.time.Clock;
import java.time.Duration;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** Suppliers, their certifications and non-conformities; every change is audited, once, by a worker. */
@SpringBootApplication
@ConfigurationPropertiesScan
public class QualityApplication {

    public static void main(String[] arguments) {
        ConfigurableApplicationContext application = SpringApplication.run(QualityApplication.class, arguments);
        if (application.getBean(QualityProperties.class).worker() == WorkerMode.ONCE) {
            System.exit(SpringApplication.exit(application));
        }
    }

    @Bean
    Clock clock() {
        return Clock.tick(Clock.systemUTC(), Duration.ofNanos(1_000)); // as the database keeps it
    }
}
