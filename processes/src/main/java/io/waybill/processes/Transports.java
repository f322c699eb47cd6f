package io.waybill.processes;

import io.waybill.kafka.KafkaTransport;
import io.waybill.nats.NatsTransport;
import io.waybill.rabbitmq.RabbitTransport;
import io.waybill.transport.Transport;
import java.time.Duration;

/** Creates the transport for the address of a broker. An address without a scheme is Kafka's. */
public final class Transports {
    private Transports() {}

    public static Transport to(String address, Duration sendTimeout) {
        if (address.startsWith("rabbitmq://")) {
            return RabbitTransport.builder(address).sendTimeout(sendTimeout).build();
        }
        if (address.startsWith("nats://")) {
            return NatsTransport.builder(address).sendTimeout(sendTimeout).build();
        }
        return KafkaTransport.builder(address).sendTimeout(sendTimeout).build();
    }
}
