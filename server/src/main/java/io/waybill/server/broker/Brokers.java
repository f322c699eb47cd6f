package io.waybill.server.broker;

import io.waybill.WaybillException;
import io.waybill.kafka.KafkaTransport;
import io.waybill.nats.NatsTransport;
import io.waybill.rabbitmq.RabbitTransport;
import io.waybill.server.config.Configuration;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import io.waybill.transport.Transport;
import java.util.Map;

/** Creates the transport for the configured broker. */
public final class Brokers {
    private Brokers() {}

    /** @throws Problem when the address or a client setting is invalid */
    public static Transport transport(BrokerAddress broker, Configuration configuration) {
        try {
            return switch (broker.kind()) {
                case KAFKA -> kafka(broker, configuration);
                case RABBITMQ -> rabbit(broker, configuration.brokerSettings());
                case NATS -> nats(broker, configuration.brokerSettings());
            };
        } catch (WaybillException e) {
            throw e instanceof Problem problem ? problem : new Problem(Exit.USAGE, String.valueOf(e.getMessage()), e);
        }
    }

    public static KafkaTransport kafka(BrokerAddress broker, Configuration configuration) {
        try {
            return KafkaTransport.builder(broker.address())
                    .settings(configuration.brokerSettings())
                    .build();
        } catch (WaybillException e) {
            throw new Problem(Exit.USAGE, String.valueOf(e.getMessage()), e);
        }
    }

    private static RabbitTransport rabbit(BrokerAddress broker, Map<String, String> settings) {
        RabbitTransport.Builder builder = RabbitTransport.builder(broker.address());
        settings.forEach((name, value) -> {
            switch (canonical(name)) {
                case "exchange" -> builder.exchange(value);
                case "max-message-bytes" -> builder.maxMessageBytes(number(name, value));
                case "management" -> {} // used by `waybill doctor` only
                default -> throw unknown(name, "RabbitMQ", "exchange, max-message-bytes, management");
            }
        });
        return builder.build();
    }

    private static NatsTransport nats(BrokerAddress broker, Map<String, String> settings) {
        NatsTransport.Builder builder = NatsTransport.builder(broker.address());
        settings.forEach((name, value) -> {
            switch (canonical(name)) {
                case "stream" -> builder.stream(value);
                case "replicas" -> builder.replicas((int) number(name, value));
                default -> throw unknown(name, "NATS", "stream, replicas");
            }
        });
        return builder.build();
    }

    /** WAYBILL_BROKER_SETTINGS_MAX_MESSAGE_BYTES arrives as max.message.bytes, the notation of Kafka's settings. */
    private static String canonical(String name) {
        return name.replace('.', '-');
    }

    private static Problem unknown(String name, String broker, String known) {
        return Problem.usage(name + " is not a broker setting for " + broker + ". Known: " + known + ".");
    }

    private static long number(String name, String value) {
        try {
            return Long.parseLong(value.strip());
        } catch (NumberFormatException e) {
            throw Problem.usage("The broker setting " + name + " must be a number, not '" + value + "'.");
        }
    }

    public static void probe(Transport transport) {
        try {
            transport.probe();
        } catch (WaybillException e) {
            throw new Problem(Exit.BROKER, String.valueOf(e.getMessage()), e);
        }
    }
}
