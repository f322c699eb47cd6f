package io.waybill.rabbitmq;

import io.waybill.testkit.transport.BreakableBroker;
import io.waybill.testkit.transport.TransportContract;

class RabbitTransportTest extends TransportContract {
    @Override
    protected BreakableBroker startBroker() {
        return Breakable.rabbit();
    }
}
