package io.waybill.rabbitmq;

import io.waybill.embedded.LocalRabbit;
import io.waybill.testkit.network.TcpProxy;
import io.waybill.testkit.transport.BreakableBroker;
import io.waybill.testkit.transport.BreakableRabbit;
import io.waybill.testkit.transport.DeliveryContract;
import io.waybill.testkit.transport.SendInOrderContract;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The transport on the newest RabbitMQ of Debian. All other tests use the machine's own version. */
class NewestRabbitTest {
    @TempDir
    static Path folder;

    private static LocalRabbit server;
    private static TcpProxy proxy;

    @BeforeAll
    static void start() {
        server = BreakableRabbit.startNewest(folder);
        proxy = TcpProxy.to(server.port());
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            proxy.close();
            server.discard();
        }
    }

    private static BreakableRabbit newest() {
        return BreakableRabbit.on(server, proxy, RabbitTransportTest::connect);
    }

    @Nested
    class Delivery extends DeliveryContract {
        @Override
        protected BreakableBroker startBroker() {
            return newest();
        }
    }

    @Nested
    class SendInOrder extends SendInOrderContract {
        @Override
        protected BreakableBroker startBroker() {
            return newest();
        }
    }

    @Nested
    class Refusal extends RabbitRefusalTest {
        @Override
        BreakableRabbit broker() {
            return newest();
        }
    }
}
