package io.waybill.nats;

import io.waybill.testkit.transport.BreakableBroker;
import io.waybill.testkit.transport.TransportContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class NatsTransportTest extends TransportContract {
    @TempDir
    static Path folder;

    @Override
    protected BreakableBroker startBroker() {
        return Breakable.nats(folder);
    }
}
