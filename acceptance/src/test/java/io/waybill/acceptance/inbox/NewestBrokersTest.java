package io.waybill.acceptance.inbox;

import io.waybill.embedded.LocalNats;
import io.waybill.embedded.LocalRabbit;
import io.waybill.testkit.transport.BreakableNats;
import io.waybill.testkit.transport.BreakableRabbit;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link ConsumerContract} in short form on the newest brokers of Debian. All other tests use the machine's own versions. */
class NewestBrokersTest {
    @TempDir
    Path folder;

    @Test
    void consumersOfTheNewestRabbitMqLoseNoEventsAndKeepTheOrder() throws Exception {
        try (LocalRabbit rabbit = BreakableRabbit.startNewest(folder)) {
            consume(() -> new TestBroker.Rabbit(rabbit.port()));
        }
    }

    @Test
    void consumersOfTheNewestNatsLoseNoEventsAndKeepTheOrder() throws Exception {
        try (LocalNats nats = BreakableNats.startNewest(folder)) {
            consume(() -> new TestBroker.Nats(nats.port()));
        }
    }

    private static void consume(Supplier<TestBroker> brokers) throws Exception {
        ConsumerContract contract = new ConsumerContract() {
            @Override
            TestBroker feed() {
                return brokers.get();
            }
        };
        contract.twoGroupsOnOneDatabaseApplyAllEventsInOrder();
        contract.aStoppedConsumerHasAcknowledgedItsEvents();
        contract.aConsumerThatLosesItsConnectionKeepsTheOrder();
    }
}
