package io.waybill.nats;

import io.waybill.testkit.transport.BreakableBroker;
import io.waybill.testkit.transport.BreakableNats;
import io.waybill.testkit.transport.DeliveryContract;
import io.waybill.testkit.transport.SendInOrderContract;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The transport on the newest NATS of Debian. All other tests use the machine's own version. */
class NewestNatsTest {
    @TempDir
    static Path newestFolder;

    private static BreakableNats newest(String name) {
        return BreakableNats.newest(newestFolder.resolve(name), NatsTransportTest::connect);
    }

    @Nested
    class Delivery extends DeliveryContract {
        @Override
        protected BreakableBroker startBroker() {
            return newest("delivery");
        }
    }

    @Nested
    class SendInOrder extends SendInOrderContract {
        @Override
        protected BreakableBroker startBroker() {
            return newest("line");
        }
    }

    @Nested
    class Refusal extends NatsRefusalTest {
        @Override
        BreakableNats startBroker() {
            return newest("refusal");
        }
    }
}
