package io.waybill.kafka;

import io.waybill.testkit.transport.BreakableBroker;
import io.waybill.testkit.transport.TransportContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class KafkaTransportTest extends TransportContract {
    @TempDir
    static Path folder;

    @Override
    protected BreakableBroker startBroker() {
        return Breakable.kafka(folder);
    }
}
