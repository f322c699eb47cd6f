package io.waybill.acceptance.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.acceptance.Scenario;
import io.waybill.acceptance.ScenarioServers;
import io.waybill.faults.history.Delivered;
import io.waybill.faults.history.Workload;
import io.waybill.jdbc.Engine;
import io.waybill.processes.Transports;
import io.waybill.testkit.network.TcpProxy;
import io.waybill.testkit.transport.BreakableBroker;
import io.waybill.testkit.transport.BreakableNats;
import io.waybill.transport.Transport;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One of two relays loses the broker but not the database. The other relay publishes all keys (I7). */
class OneSidedOutageTest {
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration SEND_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets the field
    private Path folder;

    @Test
    void theOtherRelayTakesTheLanesOfARelayWithoutItsBroker() {
        try (BreakableBroker nats = new BreakableNats(folder, Transports::to);
                TcpProxy link = TcpProxy.to(URI.create(nats.address()).getPort());
                Scenario scenario = scenario(nats);
                Workload writers =
                        scenario.workload().pause(Duration.ofMillis(20)).start()) {
            String ownLink = "nats://127.0.0.1:" + link.port();
            Transport cutOff = scenario.using(Transports.to(ownLink, SEND_TIMEOUT));
            Transport healthy = scenario.transport(SEND_TIMEOUT);
            scenario.start(Scenario.relay("cut-off", LEASE, scenario.store(), cutOff));
            scenario.start(Scenario.relay("healthy", LEASE, scenario.store(), healthy));
            scenario.awaitOwner("cut-off", Scenario.LANES / 2, PATIENCE);
            scenario.awaitMorePublished(100);

            link.cut();
            scenario.awaitOwner("healthy", Scenario.LANES, PATIENCE);
            writers.stop();
            await("all keys flow while the link is cut")
                    .atMost(PATIENCE)
                    .until(() -> scenario.status().pending() == 0);
            assertThat(scenario.status().liveRelays()).isEqualTo(2);

            // A relay that starts without its broker acquires no lanes.
            Transport late = scenario.using(Transports.to(ownLink, SEND_TIMEOUT));
            scenario.start(Scenario.relay("late", LEASE, scenario.store(), late));
            await("the newcomer is on the roll")
                    .atMost(PATIENCE)
                    .until(() -> scenario.status().liveRelays() == 3);
            scenario.awaitOwner("healthy", Scenario.LANES, PATIENCE);

            link.heal();
            await("the lanes are shared again")
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(scenario.status().relays())
                            .allSatisfy(relay -> assertThat(relay.lanes()).isPositive()));
            assertThat(scenario.conclude(writers.history(), 0).deadLetters()).isZero();
        }
    }

    private static Scenario scenario(BreakableBroker nats) {
        ScenarioServers shared = ScenarioServers.shared();
        return new Scenario(
                "I7 one relay without its broker",
                Engine.JOURNAL,
                new ScenarioServers(
                        shared.jdbcUrl(),
                        nats.address(),
                        topic -> nats.read(topic, 1).stream()
                                .map(message -> Delivered.of(message.key(), message.headers(), message.value()))
                                .toList()));
    }
}
