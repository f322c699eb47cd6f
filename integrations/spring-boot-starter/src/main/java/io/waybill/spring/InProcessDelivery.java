package io.waybill.spring;

import io.waybill.WaybillException;
import io.waybill.inbox.InProcessTransport;
import io.waybill.transport.Delivery;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;

/** To the application's own inbox, which is a new one after each restart of the context. */
final class InProcessDelivery implements Transport {
    private final InboxConsumer consumer;

    InProcessDelivery(InboxConsumer consumer) {
        this.consumer = consumer;
    }

    @Override
    public void send(Message message, Delivery delivery) {
        current().send(message, delivery);
    }

    @Override
    public void probe() {
        current().probe();
    }

    @Override
    public void close() {}

    private Transport current() {
        return consumer.inbox()
                .map(InProcessTransport::to)
                .orElseThrow(() -> new WaybillException(
                        "This application has no @InboxHandler that events could go to. Add one, or set"
                                + " waybill.kafka.bootstrap-servers."));
    }
}
