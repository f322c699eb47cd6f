package io.waybill.rabbitmq;

import io.waybill.testkit.transport.BreakableBroker;
import io.waybill.testkit.transport.BreakableRabbit;
import io.waybill.testkit.transport.LineContract;

class RabbitLineTest extends LineContract {
    @Override
    protected BreakableBroker startBroker() {
        return BreakableRabbit.shared(RabbitTransportTest::connect);
    }
}
