package io.waybill.processes;

import io.waybill.transport.Delivery;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.util.List;

/** Ends the process when a certain message is sent, like a message that exhausts the memory of its encoder. */
public record FatalTransport(Transport transport, String fatal) implements Transport {
    /** The system property that names the message. */
    public static final String PROPERTY = "waybill.fatal";

    /** The exit status of a process that ended here. */
    public static final int STATUS = 87;

    static Transport around(Transport transport) {
        String fatal = System.getProperty(PROPERTY);
        return fatal == null ? transport : new FatalTransport(transport, fatal);
    }

    @Override
    public void send(Message message, Delivery delivery) {
        meet(message);
        transport.send(message, delivery);
    }

    @Override
    public int sendInOrder(List<Message> messages, List<Delivery> deliveries) {
        messages.forEach(this::meet);
        return transport.sendInOrder(messages, deliveries);
    }

    private void meet(Message message) {
        if (message.id().toString().equals(fatal)) {
            Runtime.getRuntime().halt(STATUS);
        }
    }

    @Override
    public void flushSoon() {
        transport.flushSoon();
    }

    @Override
    public void probe() {
        transport.probe();
    }

    @Override
    public void close() {
        transport.close();
    }
}
