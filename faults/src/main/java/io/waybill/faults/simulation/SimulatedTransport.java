package io.waybill.faults.simulation;

import io.waybill.WaybillException;
import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.util.List;

/** The transport of one relay: a connection to the model of the broker. */
final class SimulatedTransport implements Transport {
    private static final Delivery IGNORED = new Delivery() {
        @Override
        public void acknowledged() {}

        @Override
        public void failed(Failure failure) {}
    };

    private final Environment environment;
    private final Scheduler scheduler;
    private final SimulatedBroker broker;
    private final RelayProcess process;

    SimulatedTransport(Environment environment, SimulatedBroker broker, RelayProcess process) {
        this.environment = environment;
        this.scheduler = environment.scheduler;
        this.broker = broker;
        this.process = process;
    }

    @Override
    public void send(Message message, Delivery delivery) {
        sendInOrder(List.of(message), List.of(delivery));
    }

    @Override
    public int sendInOrder(List<Message> messages, List<Delivery> deliveries) {
        process.requireAlive();
        if (scheduler.chance(0.2)) {
            scheduler.sleep(environment.latency()); // the buffer is full
        }
        int taken = environment.parameters.sendsInOrder() ? 1 + scheduler.random.nextInt(messages.size()) : 1;
        OrderedSend send = new OrderedSend(environment, broker, process);
        long at = environment.latency();
        for (int i = 0; i < taken; i++) {
            Message message = messages.get(i);
            Delivery delivery = deliveries.get(i);
            scheduler.note(() -> "sends " + message.key() + "#" + broker.row(message.id()).position);
            if (environment.bug == Bug.SETTLE_BEFORE_ACK || environment.bug == Bug.ACK_BEFORE_SEND) {
                delivery.acknowledged();
                delivery = IGNORED;
            }
            at += scheduler.between(0, Scheduler.MILLISECOND);
            send.add(broker.row(message.id()), delivery, at);
        }
        return taken;
    }

    @Override
    public void probe() {
        process.requireAlive();
        scheduler.sleep(environment.latency());
        boolean down = broker.down() || process.brokerCutOff();
        scheduler.note(() -> down ? "probe: no answer" : "probe: answered");
        if (down) {
            throw new WaybillException("The broker does not answer.");
        }
    }

    @Override
    public void close() {}
}
