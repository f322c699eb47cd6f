package org.springframework.boot.kafka.autoconfigure;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Stands in for the interface of this name in spring-boot-kafka 4, which is not a dependency here. It has only the methods that Waybill
 * calls. {@code SpringBoot3Test} uses the real interface of Spring Boot 3.5.
 */
public interface KafkaConnectionDetails extends ConnectionDetails {
    Configuration getProducer();

    Configuration getConsumer();

    interface Configuration {
        List<String> getBootstrapServers();

        default @Nullable SslBundle getSslBundle() {
            return null;
        }

        default @Nullable String getSecurityProtocol() {
            return null;
        }
    }
}
