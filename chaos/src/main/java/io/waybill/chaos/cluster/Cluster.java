package io.waybill.chaos.cluster;

import io.waybill.embedded.FreePort;
import io.waybill.embedded.LocalKafka;
import io.waybill.embedded.LocalPostgres;
import io.waybill.faults.history.Ledger;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.processes.ChildProcess;
import io.waybill.processes.Effects;
import io.waybill.processes.OperatorProgram;
import io.waybill.processes.Outboxes;
import io.waybill.processes.SagaWorkload;
import io.waybill.testkit.network.TcpProxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The system under test: one database, one broker, and relays, writers and consumers in child processes. Each process has its
 * own proxy to the database, and each relay also has its own proxy to the broker.
 */
public final class Cluster implements AutoCloseable {
    /** The type of all events, and therefore the topic. */
    public static final String TOPIC = "account.changed";

    /** The consumer group. */
    public static final String GROUP = "ledger";

    /** The number of processes with a saga engine and the participants of its sagas. */
    public static final int SAGA_ENGINES = 2;

    /** The lease of a lane. */
    public static final Duration LEASE = Duration.ofSeconds(3);

    private final ClusterOptions options;
    private final DatabaseServer database;
    private final BrokerServer broker;
    private final List<ClusterProcess> relays = new ArrayList<>();
    private final List<ClusterProcess> writers = new ArrayList<>();
    private final List<ClusterProcess> consumers = new ArrayList<>();
    private final List<ClusterProcess> sagas = new ArrayList<>();
    private final Deque<AutoCloseable> owned = new ArrayDeque<>();
    private final Supervisor supervisor;
    private boolean closed;

    private Cluster(ClusterOptions options) throws IOException, SQLException {
        this.options = options;
        options.owned.forEach(this::own);
        Files.createDirectories(logs());
        Files.createDirectories(histories());
        LocalPostgres.Builder postgres = LocalPostgres.builder(options.databaseFolder);
        options.databaseSettings.forEach(postgres::setting);
        options.databaseEnvironment.forEach(postgres::environment);
        this.database = new DatabaseServer(own(postgres.start()));
        try {
            this.broker = startBroker();
            tables();
        } catch (RuntimeException | SQLException e) {
            closeOwned(); // PostgreSQL is not a child process and would outlive this JVM
            throw e;
        }
        ProcessLauncher launcher = new ProcessLauncher(options, this);
        for (int i = 1; i <= options.size.relays(); i++) {
            int number = i - 1;
            relays.add(new ClusterProcess(
                    "relay-" + i, database.newLink(), (process, incarnation) -> launcher.relay(process, number)));
        }
        for (int i = 0; i < options.size.writers(); i++) {
            int number = i;
            writers.add(new ClusterProcess(
                    "writer-" + (i + 1),
                    database.newLink(),
                    (process, incarnation) -> launcher.writer(process, number, incarnation)));
        }
        for (int i = 1; i <= options.size.consumers(); i++) {
            consumers.add(new ClusterProcess("consumer-" + i, database.newLink(), launcher::consumer));
        }
        for (int i = 1; i <= SAGA_ENGINES; i++) {
            sagas.add(new ClusterProcess(
                    "saga-engine-" + i, database.newLink(), (process, incarnation) -> launcher.sagaEngine(process)));
        }
        this.supervisor = own(new Supervisor(processes()));
    }

    /** Starts the servers. {@link ClusterProcess#start} starts the processes. */
    public static Cluster create(ClusterOptions options) throws IOException, SQLException {
        Cluster cluster = new Cluster(options);
        // Ctrl-C ends this JVM without running finally blocks, and PostgreSQL is not its child process.
        Runtime.getRuntime().addShutdownHook(new Thread(cluster::close, "close-cluster"));
        return cluster;
    }

    private BrokerServer startBroker() {
        int port = FreePort.find();
        TcpProxy link = own(TcpProxy.to(port));
        LocalKafka.Builder kafka =
                LocalKafka.builder(options.folder.resolve("kafka")).port(port).advertisedPort(link.port());
        List<TcpProxy> relayLinks = new ArrayList<>();
        for (int i = 0; i < options.size.relays(); i++) {
            int relayPort = FreePort.find();
            TcpProxy relayLink = own(TcpProxy.to(relayPort));
            kafka.listener(relayPort, relayLink.port());
            relayLinks.add(relayLink);
        }
        return new BrokerServer(own(kafka.start()), link, List.copyOf(relayLinks));
    }

    private void tables() throws SQLException {
        try (var pool = Outboxes.pool(database.jdbcUrl(), 2)) {
            pool.setConnectionTimeout(
                    60_000); // no fault acts yet, and the first connection of a busy machine takes long
            OutboxSchema.apply(pool, options.engine);
            InboxSchema.apply(pool);
            Effects.create(pool);
            SagaWorkload.create(pool);
        }
        Ledger.create(database.jdbcUrl(), options.keys);
    }

    public Engine engine() {
        return options.engine;
    }

    public DatabaseServer database() {
        return database;
    }

    public BrokerServer broker() {
        return broker;
    }

    public List<ClusterProcess> relays() {
        return List.copyOf(relays);
    }

    public List<ClusterProcess> writers() {
        return List.copyOf(writers);
    }

    public List<ClusterProcess> consumers() {
        return List.copyOf(consumers);
    }

    public List<ClusterProcess> sagas() {
        return List.copyOf(sagas);
    }

    public List<ClusterProcess> processes() {
        return Stream.of(relays, writers, consumers, sagas)
                .flatMap(List::stream)
                .toList();
    }

    /**
     * Starts an operator's command that locks lanes and does not commit. Returns when it holds the locks.
     *
     * @see OperatorProgram
     */
    public ChildProcess startOperator() throws IOException {
        ChildProcess operator = own(new ProcessLauncher(options, this).operator());
        return operator.awaitOutput(OperatorProgram.HOLDING);
    }

    /** Returns the number of unexpected ends of each process. */
    public Map<String, Integer> restarts() {
        return supervisor.restarts();
    }

    /** The folder of the run, which faults may use. */
    public Path folder() {
        return options.folder;
    }

    public Path logs() {
        return options.folder.resolve("logs");
    }

    public Path histories() {
        return options.folder.resolve("histories");
    }

    /** Closes the resource with the cluster, in reverse order. */
    public synchronized <T extends AutoCloseable> T own(T resource) {
        owned.push(resource);
        return resource;
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        supervisor.close();
        processes().forEach(ClusterProcess::kill);
        // The servers are killed, because a clean shutdown takes longer and their data is no longer needed.
        broker.server().kill();
        database.server().kill();
        database.links().forEach(TcpProxy::close);
        closeOwned();
    }

    private void closeOwned() {
        for (AutoCloseable resource : List.copyOf(owned)) {
            try {
                resource.close();
            } catch (Exception e) {
                System.err.println("Cannot close " + resource + ": " + e);
            }
        }
    }
}
