package io.waybill.server.broker;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The brokers that Waybill can publish to, by the schemes of their addresses. */
public enum BrokerKind {
    KAFKA("kafka", "kafka://host:port[,host:port…]"),
    RABBITMQ("rabbitmqs?|amqps?", "rabbitmq://user:password@host:port/vhost"),
    NATS("nats|tls", "nats://host:port[,host:port…]");

    private final String schemes;
    private final String example;

    /** @param schemes a pattern for all that mean this broker */
    BrokerKind(String schemes, String example) {
        this.schemes = schemes;
        this.example = example;
    }

    static Optional<BrokerKind> of(String scheme) {
        return Arrays.stream(values())
                .filter(kind -> scheme.matches(kind.schemes))
                .findFirst();
    }

    /** Each with an example, for a person. */
    static String known() {
        return Arrays.stream(values())
                .map(kind -> kind.name().toLowerCase(Locale.ROOT) + " (" + kind.example + ")")
                .collect(Collectors.joining(", "));
    }
}
