package io.waybill.acceptance.matrix;

import io.waybill.testkit.transport.BreakableBroker;
import io.waybill.testkit.transport.BreakableNats;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

class NatsMatrixTest extends FaultMatrix {
    private final List<String> topics = new ArrayList<>();

    NatsMatrixTest() {
        super(MatrixTransport.NATS);
    }

    @Override
    BreakableBroker start(Path folder) {
        return new BreakableNats(folder, CONNECTOR);
    }

    @Override
    void open(BreakableBroker broker, String topic) {
        topics.add(topic);
        ((BreakableNats) broker).takeOnly(topics);
    }
}
