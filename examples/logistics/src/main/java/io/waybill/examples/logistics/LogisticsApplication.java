package io.waybill.examples.logistics;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/** Orders of many tenants. Each change writes its event into the service's own outbox table, and a relay publishes it to Kafka. */
@SpringBootApplication
@ConfigurationPropertiesScan
public class LogisticsApplication {

    public static void main(String[] arguments) {
        SpringApplication.run(LogisticsApplication.class, arguments);
    }
}
