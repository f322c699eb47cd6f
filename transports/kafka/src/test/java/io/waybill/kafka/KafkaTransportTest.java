package io.waybill.kafka;

import io.waybill.testkit.transport.BreakableBroker;
import io.waybill.testkit.transport.BreakableKafka;
import io.waybill.testkit.transport.TransportContract;
import io.waybill.transport.Transport;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.io.TempDir;

class KafkaTransportTest extends TransportContract {
    @TempDir
    static Path folder;

    @Override
    protected BreakableBroker startBroker() {
        return new BreakableKafka(folder, KafkaTransportTest::connect);
    }

    static Transport connect(String address, Duration sendTimeout) {
        return KafkaTransport.builder(address).sendTimeout(sendTimeout).build();
    }
}
