package io.waybill.testkit.simulation;

import io.waybill.WaybillException;
import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.util.List;

/** A relay's client of the model of the broker. */
final class BrokerLink implements Transport {
    private static final Delivery NOBODY = new Delivery() {
        @Override
        public void acknowledged() {}

        @Override
        public void failed(Failure failure) {}
    };

    private final World world;
    private final Conductor conductor;
    private final SimulatedBroker broker;
    private final Life life;

    BrokerLink(World world, SimulatedBroker broker, Life life) {
        this.world = world;
        this.conductor = world.conductor;
        this.broker = broker;
        this.life = life;
    }

    @Override
    public void send(Message message, Delivery delivery) {
        sendInOrder(List.of(message), List.of(delivery));
    }

    @Override
    public int sendInOrder(List<Message> messages, List<Delivery> deliveries) {
        life.requireAlive();
        if (conductor.chance(0.2)) {
            conductor.sleep(world.latency()); // its buffer was full
        }
        int taken = world.plan.keepsLines() ? 1 + conductor.random.nextInt(messages.size()) : 1;
        Line line = new Line(world, broker, life);
        long at = world.latency();
        for (int i = 0; i < taken; i++) {
            Message message = messages.get(i);
            Delivery delivery = deliveries.get(i);
            conductor.note(() -> "sends " + message.key() + "#" + broker.row(message.id()).position);
            if (world.bug == Bug.SETTLE_BEFORE_ACK || world.bug == Bug.ACK_BEFORE_SEND) {
                delivery.acknowledged();
                delivery = NOBODY;
            }
            at += conductor.between(0, Conductor.MILLISECOND);
            line.add(broker.row(message.id()), delivery, at);
        }
        return taken;
    }

    @Override
    public void probe() {
        life.requireAlive();
        conductor.sleep(world.latency());
        boolean down = broker.down() || life.brokerCutOff();
        conductor.note(() -> down ? "probe: no answer" : "probe: answers");
        if (down) {
            throw new WaybillException("The broker does not answer.");
        }
    }

    @Override
    public void close() {}
}
