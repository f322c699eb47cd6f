package io.waybill.rabbitmq;

import io.waybill.testkit.transport.BreakableBroker;
import io.waybill.testkit.transport.BreakableRabbit;
import io.waybill.testkit.transport.TransportContract;
import io.waybill.transport.Transport;
import java.time.Duration;

class RabbitTransportTest extends TransportContract {
    @Override
    protected BreakableBroker startBroker() {
        return BreakableRabbit.shared(RabbitTransportTest::connect);
    }

    static Transport connect(String address, Duration sendTimeout) {
        return RabbitTransport.builder(address)
                .sendTimeout(sendTimeout)
                .maxMessageBytes(BreakableRabbit.SIZE_LIMIT)
                .build();
    }
}
