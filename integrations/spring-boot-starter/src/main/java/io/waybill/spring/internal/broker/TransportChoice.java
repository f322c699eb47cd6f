package io.waybill.spring.internal.broker;

import io.waybill.spring.WaybillProperties.TransportKind;
import io.waybill.spring.internal.start.StartFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * The transport that the settings and the class path select: {@code waybill.transport}, or the one broker whose module is on the
 * class path and whose address is known, or the in-process transport.
 *
 * @param problem why no transport can be selected; null when one is
 */
public record TransportChoice(TransportKind kind, @Nullable StartFailure problem) {

    private enum Broker {
        KAFKA(
                TransportKind.KAFKA,
                "Kafka",
                "io.waybill.kafka.KafkaTransport",
                "org.apache.kafka.clients.producer.KafkaProducer",
                "waybill.kafka.bootstrap-servers") {
            @Override
            boolean hasAddress(Environment environment, ListableBeanFactory beans) {
                return KafkaConnection.isKnown(environment, beans);
            }
        },
        RABBITMQ(
                TransportKind.RABBITMQ,
                "RabbitMQ",
                "io.waybill.rabbitmq.RabbitTransport",
                "com.rabbitmq.client.ConnectionFactory",
                "waybill.rabbitmq.url") {
            @Override
            boolean hasAddress(Environment environment, ListableBeanFactory beans) {
                return RabbitConnection.isKnown(environment, beans);
            }
        },
        NATS(
                TransportKind.NATS,
                "NATS",
                "io.waybill.nats.NatsTransport",
                "io.nats.client.Connection",
                "waybill.nats.url") {
            @Override
            boolean hasAddress(Environment environment, ListableBeanFactory beans) {
                return isNamedByWaybill(environment);
            }
        };

        private final TransportKind kind;
        private final String title;
        private final String transport;
        private final String client;
        private final String property;

        Broker(TransportKind kind, String title, String transport, String client, String property) {
            this.kind = kind;
            this.title = title;
            this.transport = transport;
            this.client = client;
            this.property = property;
        }

        abstract boolean hasAddress(Environment environment, ListableBeanFactory beans);

        boolean isOnClassPath(@Nullable ClassLoader classes) {
            return ClassUtils.isPresent(transport, classes) && ClassUtils.isPresent(client, classes);
        }

        boolean isNamedByWaybill(Environment environment) {
            return environment.containsProperty(property) || environment.containsProperty(property + "[0]");
        }

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        StartFailure missing(String setting) {
            return new StartFailure(
                    setting + ", but the transport for " + title + " is not on the class path.",
                    "Add the dependency io.waybill:waybill-transport-" + label() + ".");
        }
    }

    public static TransportChoice of(
            Environment environment, ListableBeanFactory beans, @Nullable ClassLoader classes) {
        TransportKind configured = Binder.get(environment)
                .bind("waybill.transport", TransportKind.class)
                .orElse(TransportKind.AUTO);
        List<Broker> candidates = new ArrayList<>();
        for (Broker broker : Broker.values()) {
            boolean present = broker.isOnClassPath(classes);
            if (configured == broker.kind && !present) {
                return failed(broker.missing("waybill.transport is " + broker.label()));
            }
            if (configured == TransportKind.AUTO) {
                if (!present && broker.isNamedByWaybill(environment)) {
                    return failed(broker.missing(broker.property + " is set"));
                }
                if (present && broker.hasAddress(environment, beans)) {
                    candidates.add(broker);
                }
            }
        }
        if (configured != TransportKind.AUTO) {
            return new TransportChoice(configured, null);
        }
        return switch (candidates.size()) {
            case 0 -> new TransportChoice(TransportKind.IN_PROCESS, null);
            case 1 -> new TransportChoice(candidates.get(0).kind, null);
            default -> failed(ambiguous(candidates));
        };
    }

    private static TransportChoice failed(StartFailure problem) {
        return new TransportChoice(TransportKind.AUTO, problem);
    }

    private static StartFailure ambiguous(List<Broker> candidates) {
        String titles = candidates.stream().map(broker -> broker.title).collect(Collectors.joining(" and "));
        String labels = candidates.stream().map(Broker::label).collect(Collectors.joining(" or "));
        return new StartFailure(
                "Waybill can send events to " + titles + ": the transport and the address of each are configured.",
                "Set waybill.transport to " + labels + ".");
    }

    /** @throws StartFailure when no transport can be selected */
    public void check() {
        if (problem != null) {
            throw problem;
        }
    }
}
