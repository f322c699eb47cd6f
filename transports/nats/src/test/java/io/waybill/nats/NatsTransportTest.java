package io.waybill.nats;

import io.waybill.testkit.transport.BreakableBroker;
import io.waybill.testkit.transport.BreakableNats;
import io.waybill.testkit.transport.TransportContract;
import io.waybill.transport.Transport;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.io.TempDir;

class NatsTransportTest extends TransportContract {
    @TempDir
    static Path folder;

    @Override
    protected BreakableBroker startBroker() {
        return new BreakableNats(folder, NatsTransportTest::connect);
    }

    static Transport connect(String address, Duration sendTimeout) {
        return NatsTransport.builder(address).sendTimeout(sendTimeout).build();
    }
}
