package io.waybill.spring.internal.inbox;

import io.waybill.WaybillException;
import io.waybill.inbox.InProcessTransport;
import io.waybill.spring.InboxConsumer;
import io.waybill.transport.Delivery;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;

/** Delivers events to the application's own inbox. The inbox is a new object after each restart of the context. */
public final class InProcessDelivery implements Transport {
    private final InboxConsumer consumer;
    private final boolean keepUnknownTypes;

    /** @param keepUnknownTypes whether events of a type without a handler stay in the outbox */
    public InProcessDelivery(InboxConsumer consumer, boolean keepUnknownTypes) {
        this.consumer = consumer;
        this.keepUnknownTypes = keepUnknownTypes;
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

    @Override
    public String toString() {
        return "this application's own handlers (in-process), for the types "
                + String.join(", ", consumer.handledTypes());
    }

    private Transport current() {
        return consumer.inbox()
                .map(inbox ->
                        keepUnknownTypes ? InProcessTransport.onlyHandledTypes(inbox) : InProcessTransport.to(inbox))
                .orElseThrow(() ->
                        new WaybillException("This application has no @InboxHandler to deliver events to. Add one, or"
                                + " configure a broker."));
    }
}
