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

    /** @param schemes a regular expression for the URL schemes of this broker */
    BrokerKind(String schemes, String example) {
        this.schemes = schemes;
        this.example = example;
    }

    static Optional<BrokerKind> of(String scheme) {
        return Arrays.stream(values())
                .filter(kind -> scheme.matches(kind.schemes))
                .findFirst();
    }

    /** Why this broker cannot have a topic with this name, as the end of a sentence; empty when the name is valid. */
    public Optional<String> topicProblem(String topic) {
        return switch (this) {
            case KAFKA ->
                topic.length() > 249 || !topic.matches("[a-zA-Z0-9._-]+") || topic.matches("\\.\\.?")
                        ? Optional.of(
                                "Kafka accepts up to 249 letters, digits, dots, underscores and hyphens, such as order.placed")
                        : Optional.empty();
            case NATS ->
                topic.matches("(?s).*[\\s*>\\p{Cc}].*") || topic.matches("\\..*|.*\\.|.*\\.\\..*")
                        ? Optional.of(
                                "a NATS subject such as order.placed contains no spaces, no * or >, and no empty part between dots")
                        : Optional.empty();
            case RABBITMQ ->
                topic.getBytes(StandardCharsets.UTF_8).length > 255
                        ? Optional.of("a RabbitMQ routing key has at most 255 bytes")
                        : Optional.empty();
        };
    }

    /** The names of all brokers with an example address each, for error messages. */
    static String known() {
        return Arrays.stream(values())
                .map(kind -> kind.name().toLowerCase(Locale.ROOT) + " (" + kind.example + ")")
                .collect(Collectors.joining(", "));
    }
}
