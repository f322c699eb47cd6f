package io.waybill.acceptance.matrix;

import io.waybill.testkit.transport.BreakableBroker;
import io.waybill.testkit.transport.BreakableKafka;
import java.nio.file.Path;

class KafkaMatrixTest extends FaultMatrix {
    KafkaMatrixTest() {
        super(MatrixTransport.KAFKA);
    }

    @Override
    BreakableBroker start(Path folder) {
        return new BreakableKafka(folder, CONNECTOR);
    }
}
