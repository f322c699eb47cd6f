package io.waybill.acceptance.matrix;

import io.waybill.testkit.transport.BreakableBroker;
import io.waybill.testkit.transport.BreakableRabbit;
import java.nio.file.Path;

class RabbitMatrixTest extends FaultMatrix {
    RabbitMatrixTest() {
        super(MatrixTransport.RABBITMQ);
    }

    @Override
    BreakableBroker start(Path folder) {
        return BreakableRabbit.shared(CONNECTOR);
    }
}
