package io.waybill.acceptance.relay;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.acceptance.Scenario;
import io.waybill.faults.history.HistoryVerdict;
import io.waybill.faults.history.Workload;
import io.waybill.processes.Outboxes;
import io.waybill.relay.RelayListener;
import io.waybill.store.FencedException;
import io.waybill.store.Lease;
import io.waybill.testkit.network.TcpProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** A relay loses its connection to the database until another relay has taken its lanes. */
final class LostDatabase implements RelayListener {
    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final int BATCH_SIZE = 50;

    private final Scenario scenario;
    private final Duration lease;
    private final AtomicReference<Lease> former = new AtomicReference<>();

    LostDatabase(Scenario scenario, Duration lease) {
        this.scenario = scenario;
        this.lease = lease;
    }

    @Override
    public void fenceRejected(Lease rejected) {
        former.set(rejected);
    }

    /** The heartbeat may precede the late settlement. */
    @Override
    public void leaseLost(Lease lost) {
        former.set(lost);
    }

    void run(Workload writers, int databasePort) {
        TcpProxy proxy = scenario.using(TcpProxy.to(databasePort));
        HikariDataSource pool = scenario.using(
                Outboxes.pool(scenario.jdbcUrl().replace(":" + databasePort + "/", ":" + proxy.port() + "/"), 6));
        scenario.start(Scenario.relay("cut", lease, scenario.store(pool), scenario.transport())
                .batchSize(BATCH_SIZE)
                .listener(this));
        scenario.awaitPublished(300);
        proxy.cut();
        scenario.start(scenario.relay("successor", lease));
        scenario.awaitOwner("successor", Scenario.LANES, LIMIT);
        Scenario.awaitMore(writers, 200);
        proxy.heal();
        scenario.awaitOwner("cut", Scenario.LANES / 2, LIMIT);
        writers.stop();
        scenario.awaitDrained();
        HistoryVerdict verdict = scenario.conclude(writers.history(), 0);
        assertThat(verdict.duplicates()).isBetween(0, 2 * BATCH_SIZE);
        await("the relay detects that it lost a lane").atMost(LIMIT).until(() -> former.get() != null);
        // in any case, no event is settled under an expired lease
        assertThatThrownBy(() -> scenario.store().advance(requireNonNull(former.get()), List.of(), 1))
                .isInstanceOf(FencedException.class);
    }
}
