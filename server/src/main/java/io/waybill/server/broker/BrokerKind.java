package io.waybill.server.broker;

import java.nio.charset.StandardCharsets;
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

    /** Why no topic of this broker can have this name, as the rest of a sentence; empty when it can. */
    public Optional<String> topicProblem(String topic) {
        return switch (this) {
            case KAFKA ->
                topic.length() > 249 || !topic.matches("[a-zA-Z0-9._-]+") || topic.matches("\\.\\.?")
                        ? Optional.of(
                                "Kafka takes at most 249 letters, digits, dots, underscores and hyphens, such as order.placed")
                        : Optional.empty();
            case NATS ->
                topic.matches("(?s).*[\\s*>\\p{Cc}].*") || topic.matches("\\..*|.*\\.|.*\\.\\..*")
                        ? Optional.of(
                                "a subject of NATS has no spaces, no * or >, and no empty part between dots, such as order.placed")
                        : Optional.empty();
            case RABBITMQ ->
                topic.getBytes(StandardCharsets.UTF_8).length > 255
                        ? Optional.of("a routing key of RabbitMQ has at most 255 bytes")
                        : Optional.empty();
        };
    }

    /** Each with an example, for a person. */
    static String known() {
        return Arrays.stream(values())
                .map(kind -> kind.name().toLowerCase(Locale.ROOT) + " (" + kind.example + ")")
                .collect(Collectors.joining(", "));
    }
}
