package io.waybill.nats;

import io.waybill.testkit.transport.BreakableBroker;
import io.waybill.testkit.transport.BreakableNats;
import io.waybill.testkit.transport.SendInOrderContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class NatsSendInOrderTest extends SendInOrderContract {
    @TempDir
    static Path folder;

    @Override
    protected BreakableBroker startBroker() {
        return new BreakableNats(folder, NatsTransportTest::connect);
    }
}
