package io.waybill.acceptance.matrix;

import io.waybill.acceptance.Scenario;
import io.waybill.acceptance.ScenarioServers;
import io.waybill.acceptance.matrix.MatrixResult.Count;
import io.waybill.faults.history.Delivered;
import io.waybill.jdbc.Engine;
import io.waybill.processes.Transports;
import io.waybill.testkit.servers.SharedServers;
import io.waybill.testkit.transport.BreakableBroker;
import io.waybill.testkit.transport.Connector;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** One transport with every store: killed and frozen relays, a restarted and an unreachable broker, undeliverable events. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class FaultMatrix {
    static final Connector CONNECTOR = Transports::to;
    private static final Duration AWAY = Duration.ofSeconds(3);

    private final MatrixTransport transport;

    @SuppressWarnings("NullAway.Init") // startBroker sets the field
    private BreakableBroker broker;

    FaultMatrix(MatrixTransport transport) {
        this.transport = transport;
    }

    abstract BreakableBroker start(Path folder);

    /** Creates this topic. Topics that are not opened do not exist. */
    void open(BreakableBroker broker, String topic) {
        broker.createTopic(topic);
    }

    @BeforeAll
    void startBroker(@TempDir Path folder) {
        broker = start(folder);
    }

    @AfterAll
    void closeBroker() {
        if (broker != null) { // the broker may not be installed
            broker.close();
        }
    }

    /** All stores are tested at once, so that they share the faults of the broker. */
    @Test
    void noFaultLosesOrReordersEvents() throws IOException {
        Map<MatrixStore, MatrixRun> runs = new EnumMap<>(MatrixStore.class);
        broker.heal(); // ends faults of a failed run, too
        try {
            for (MatrixStore store : MatrixStore.values()) {
                MatrixResult.remove(MatrixResult.FOLDER, store, transport);
                runs.put(store, new MatrixRun(scenario(store)));
            }
            atOnce(runs, MatrixRun::killAndFreezeRelays);
            outage(runs, broker::kill, Count.RESTART, Duration.ZERO);
            outage(runs, broker::cutOff, Count.OUTAGE, AWAY);
            atOnce(runs, MatrixRun::appendUndeliverableEvents);
            for (Map.Entry<MatrixStore, MatrixRun> run : runs.entrySet()) {
                new MatrixResult(run.getKey(), transport, run.getValue().conclude()).write(MatrixResult.FOLDER);
            }
        } finally {
            runs.values().forEach(MatrixRun::close);
        }
    }

    private Scenario scenario(MatrixStore store) {
        Engine engine = store == MatrixStore.POSTGRES_JOURNAL ? Engine.JOURNAL : Engine.QUEUE;
        String name = "matrix: " + store.label() + ", " + transport.label();
        Scenario scenario =
                new Scenario(name, engine, new ScenarioServers(database(store), broker.address(), this::read));
        open(broker, scenario.topic());
        return scenario;
    }

    private static void atOnce(Map<MatrixStore, MatrixRun> runs, Consumer<MatrixRun> step) {
        runs.entrySet().parallelStream().forEach(run -> {
            try {
                step.accept(run.getValue());
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("with the store " + run.getKey().label() + ": " + e.getMessage(), e);
            }
        });
    }

    private void outage(Map<MatrixStore, MatrixRun> runs, Runnable fault, Count count, Duration age) {
        atOnce(runs, MatrixRun::expectOutage);
        fault.run();
        atOnce(runs, run -> run.awaitOutage(count, age));
        broker.heal();
        atOnce(runs, MatrixRun::awaitRecovery);
    }

    private static String database(MatrixStore store) {
        return switch (store) {
            case POSTGRES_JOURNAL, POSTGRES_QUEUE -> SharedServers.freshDatabase();
            case MARIADB_QUEUE -> SharedServers.freshMariaDb();
            case H2_QUEUE -> H2Server.jdbcUrl("matrix-" + UUID.randomUUID());
        };
    }

    private List<Delivered> read(String topic) {
        return broker.read(topic, 1).stream()
                .map(message -> Delivered.of(message.key(), message.headers(), message.value()))
                .toList();
    }
}
