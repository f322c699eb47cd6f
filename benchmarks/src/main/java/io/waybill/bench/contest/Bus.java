package io.waybill.bench.contest;

import io.waybill.kafka.KafkaTransport;
import io.waybill.transport.Transport;

/** The broker that contestants publish to. */
interface Bus {
    /** Waybill's client of it. */
    Transport transport();

    /** Its own plain client. */
    Sender sender(String topic) throws Exception;

    Sink sink(String contestant) throws Exception;

    /** Kafka at {@code host:port}. */
    record Kafka(String bootstrap) implements Bus {
        @Override
        public Transport transport() {
            return KafkaTransport.to(bootstrap);
        }

        @Override
        public Sender sender(String topic) {
            return new KafkaSender(bootstrap, topic);
        }

        @Override
        public Sink sink(String contestant) throws Exception {
            return Topic.create(bootstrap, contestant);
        }
    }
}
