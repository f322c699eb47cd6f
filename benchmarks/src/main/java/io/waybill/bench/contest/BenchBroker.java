package io.waybill.bench.contest;

import io.waybill.kafka.KafkaTransport;
import io.waybill.transport.Transport;

/** The broker that contestants publish to. */
interface BenchBroker {
    /** Returns Waybill's transport. */
    Transport transport();

    /** Returns the plain client of the broker. */
    Sender sender(String topic) throws Exception;

    Sink sink(String contestant) throws Exception;

    /** Kafka at {@code host:port}. */
    record Kafka(String bootstrap) implements BenchBroker {
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
