package io.waybill.testkit.transport;

import io.waybill.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

/** Starts the broker of a transport contract once, and ends its faults after each test. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class TransportFixture implements TransportTests {
    private final List<Transport> transports = new ArrayList<>();
    private BreakableBroker broker;
    private String topic = "";

    /** Starts the broker. The contract calls this once, before the first test of the class, and closes the broker after the last. */
    protected abstract BreakableBroker startBroker();

    @BeforeAll
    final void start() {
        broker = startBroker();
    }

    @BeforeEach
    final void createTopic() {
        topic = "contract-" + UUID.randomUUID();
        broker.createTopic(topic);
    }

    @AfterEach
    final void heal() {
        transports.forEach(Transport::close);
        transports.clear();
        broker.heal();
    }

    /** A broker that cannot be installed aborts the class before there is one to close. */
    @AfterAll
    final void stop() {
        if (broker != null) {
            broker.close();
        }
    }

    @Override
    public final BreakableBroker broker() {
        return broker;
    }

    @Override
    public final String topic() {
        return topic;
    }

    @Override
    public final Transport connect(Duration sendTimeout) {
        Transport transport = broker.connect(sendTimeout);
        transports.add(transport);
        return transport;
    }
}
