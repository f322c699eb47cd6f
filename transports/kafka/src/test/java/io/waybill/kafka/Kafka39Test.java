package io.waybill.kafka;

import io.waybill.testkit.servers.KafkaVersion;
import io.waybill.testkit.transport.BreakableBroker;
import io.waybill.testkit.transport.BreakableKafka;
import io.waybill.testkit.transport.DeliveryContract;
import io.waybill.testkit.transport.SendInOrderContract;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The transport on the oldest Kafka that Waybill is tested with. All other tests use the version on the class path. */
class Kafka39Test {
    @TempDir
    static Path folder;

    private static BreakableKafka oldest(String name) {
        return new BreakableKafka(KafkaVersion.V3_9.builder(folder.resolve(name)), KafkaTransportTest::connect);
    }

    @Nested
    class Delivery extends DeliveryContract {
        @Override
        protected BreakableBroker startBroker() {
            return oldest("delivery");
        }
    }

    @Nested
    class SendInOrder extends SendInOrderContract {
        @Override
        protected BreakableBroker startBroker() {
            return oldest("line");
        }
    }
}
