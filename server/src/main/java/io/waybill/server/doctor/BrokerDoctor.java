package io.waybill.server.doctor;

import io.waybill.WaybillException;
import io.waybill.kafka.KafkaTransport;
import io.waybill.nats.NatsTransport;
import io.waybill.rabbitmq.RabbitTransport;
import io.waybill.server.broker.BrokerAddress;
import io.waybill.server.broker.Brokers;
import io.waybill.server.config.Configuration;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Finding;
import io.waybill.transport.Transport;
import java.util.Collection;
import java.util.List;

/** Checks the broker: whether it is reachable, whether topics can be published to, and how durable an acknowledgement is. */
public final class BrokerDoctor {
    private BrokerDoctor() {}

    public static List<Finding> examine(
            BrokerAddress broker, Configuration configuration, Collection<String> topics, int maxPayload) {
        try (Transport transport = Brokers.transport(broker, configuration)) {
            return switch (broker.kind()) {
                case KAFKA -> KafkaDoctor.examine((KafkaTransport) transport, topics, maxPayload);
                case RABBITMQ ->
                    RabbitDoctor.examine(
                            (RabbitTransport) transport,
                            configuration.brokerSettings().getOrDefault("management", ""),
                            topics);
                case NATS -> NatsDoctor.examine((NatsTransport) transport, topics, maxPayload);
            };
        } catch (WaybillException e) {
            return List.of(Finding.failure("broker", String.valueOf(e.getMessage()), "", Exit.BROKER));
        }
    }
}
