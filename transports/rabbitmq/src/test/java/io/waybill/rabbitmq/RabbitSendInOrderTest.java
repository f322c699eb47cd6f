package io.waybill.rabbitmq;

import io.waybill.testkit.transport.BreakableBroker;
import io.waybill.testkit.transport.BreakableRabbit;
import io.waybill.testkit.transport.SendInOrderContract;

class RabbitSendInOrderTest extends SendInOrderContract {
    @Override
    protected BreakableBroker startBroker() {
        return BreakableRabbit.shared(RabbitTransportTest::connect);
    }
}
