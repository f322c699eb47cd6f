package org.springframework.boot.amqp.autoconfigure;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Stands in for the interface of this name in spring-boot-amqp 4, which is not a dependency here. It has only the methods that Waybill
 * calls.
 */
public interface RabbitConnectionDetails extends ConnectionDetails {
    default @Nullable String getUsername() {
        return null;
    }

    default @Nullable String getPassword() {
        return null;
    }

    default @Nullable String getVirtualHost() {
        return null;
    }

    List<Address> getAddresses();

    default @Nullable SslBundle getSslBundle() {
        return null;
    }

    record Address(String host, int port) {}
}
