package io.waybill.nats;

import io.waybill.testkit.transport.BreakableBroker;
import io.waybill.testkit.transport.BreakableNats;
import io.waybill.testkit.transport.LineContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class NatsLineTest extends LineContract {
    @TempDir
    static Path folder;

    @Override
    protected BreakableBroker startBroker() {
        return new BreakableNats(folder, NatsTransportTest::connect);
    }
}
