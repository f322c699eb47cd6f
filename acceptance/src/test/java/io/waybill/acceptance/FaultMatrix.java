package io.waybill.acceptance;

import io.waybill.chaos.process.Transports;
import io.waybill.jdbc.Engine;
import io.waybill.testkit.history.Delivered;
import io.waybill.testkit.history.Workload;
import io.waybill.testkit.servers.SharedServers;
import io.waybill.testkit.transport.BreakableBroker;
import io.waybill.testkit.transport.Connector;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One transport with every store: relays killed and frozen, the broker restarted and away, events that cannot be sent. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class FaultMatrix {
    static final Connector CONNECTOR = Transports::to;

    private final MatrixTransport transport;

    @SuppressWarnings("NullAway.Init") // set before the first test
    private BreakableBroker broker;

    FaultMatrix(MatrixTransport transport) {
        this.transport = transport;
    }

    abstract BreakableBroker start(Path folder);

    /** Makes the broker take this topic, and no other that nobody has asked for. */
    void open(BreakableBroker broker, String topic) {
        broker.createTopic(topic);
    }

    @BeforeAll
    void startBroker(@TempDir Path folder) {
        broker = start(folder);
    }

    @AfterAll
    void closeBroker() {
        if (broker != null) { // its program may not be installed
            broker.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyFaultIsSurvived(MatrixStore store) throws IOException {
        Engine engine = store == MatrixStore.POSTGRES_JOURNAL ? Engine.JOURNAL : Engine.QUEUE;
        String name = "matrix: " + store.label() + ", " + transport.label();
        MatrixResult.remove(MatrixResult.FOLDER, store, transport);
        broker.heal(); // also of what a run left that failed
        try (Scenario scenario =
                new Scenario(name, engine, new Servers(database(store), broker.address(), this::read))) {
            open(broker, scenario.topic());
            try (Workload writers =
                    scenario.workload().writers(3).pause(Duration.ofMillis(40)).start()) {
                MatrixRun run = new MatrixRun(scenario, writers, broker);
                new MatrixResult(store, transport, run.carryOut()).write(MatrixResult.FOLDER);
            }
        }
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
