package io.waybill.acceptance;

import io.waybill.testkit.transport.BreakableBroker;
import io.waybill.testkit.transport.BreakableNats;
import java.nio.file.Path;

class NatsMatrixTest extends FaultMatrix {
    NatsMatrixTest() {
        super(MatrixTransport.NATS);
    }

    @Override
    BreakableBroker start(Path folder) {
        return new BreakableNats(folder, CONNECTOR);
    }

    @Override
    void open(BreakableBroker broker, String topic) {
        ((BreakableNats) broker).takeOnly(topic);
    }
}
