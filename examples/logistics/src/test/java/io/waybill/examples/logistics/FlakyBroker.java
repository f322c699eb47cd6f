package io.waybill.examples.logistics;

import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.util.function.Predicate;
import org.springframework.beans.factory.config.BeanPostProcessor;

/** Kafka, which refuses some messages. */
final class FlakyBroker implements BeanPostProcessor {
    private volatile Predicate<Message> refused = message -> false;

    void refuse(Predicate<Message> messages) {
        refused = messages;
    }

    void refuseNone() {
        refused = message -> false;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        return bean instanceof Transport kafka ? new Flaky(kafka) : bean;
    }

    private final class Flaky implements Transport {
        private final Transport kafka;

        Flaky(Transport kafka) {
            this.kafka = kafka;
        }

        @Override
        public void send(Message message, Delivery delivery) {
            if (refused.test(message)) {
                delivery.failed(Failure.transientFailure("The test refuses this message."));
            } else {
                kafka.send(message, delivery);
                kafka.flushSoon();
            }
        }

        @Override
        public void probe() {
            kafka.probe();
        }

        @Override
        public void close() {
            kafka.close();
        }
    }
}
