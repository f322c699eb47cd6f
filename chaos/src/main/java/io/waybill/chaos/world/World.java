package io.waybill.chaos.world;

import io.waybill.chaos.process.ChildProcess;
import io.waybill.chaos.process.Effects;
import io.waybill.chaos.process.OperatorProgram;
import io.waybill.chaos.process.Outboxes;
import io.waybill.embedded.FreePort;
import io.waybill.embedded.LocalKafka;
import io.waybill.embedded.LocalPostgres;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.testkit.faults.TcpProxy;
import io.waybill.testkit.history.Ledger;
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
 * Everything that a run starts, and that faults break: one database, one broker, and relays, writers and consumers in
 * processes of their own, each with a way to the database that can be cut. Relays have links of their own to the broker, too.
 */
public final class World implements AutoCloseable {
    /** The type of all events, hence the topic. */
    public static final String TOPIC = "account.changed";

    /** The consumer group. */
    public static final String GROUP = "ledger";

    /** How long a lane stays with a relay that does not answer. */
    public static final Duration LEASE = Duration.ofSeconds(3);

    private final Setup setup;
    private final DatabaseServer database;
    private final BrokerServer broker;
    private final List<Member> relays = new ArrayList<>();
    private final List<Member> writers = new ArrayList<>();
    private final List<Member> consumers = new ArrayList<>();
    private final Deque<AutoCloseable> owned = new ArrayDeque<>();
    private final Keeper keeper;
    private boolean closed;

    private World(Setup setup) throws IOException, SQLException {
        this.setup = setup;
        setup.owned.forEach(this::own);
        Files.createDirectories(logs());
        Files.createDirectories(histories());
        LocalPostgres.Builder postgres = LocalPostgres.builder(setup.databaseFolder);
        setup.databaseSettings.forEach(postgres::setting);
        setup.databaseEnvironment.forEach(postgres::environment);
        this.database = new DatabaseServer(own(postgres.start()));
        this.broker = startBroker();
        tables();
        Launches launches = new Launches(setup, this);
        for (int i = 1; i <= setup.shape.relays(); i++) {
            int number = i - 1;
            relays.add(new Member(
                    "relay-" + i, database.newLink(), (member, incarnation) -> launches.relay(member, number)));
        }
        for (int i = 0; i < setup.shape.writers(); i++) {
            int number = i;
            writers.add(new Member(
                    "writer-" + (i + 1),
                    database.newLink(),
                    (member, incarnation) -> launches.writer(member, number, incarnation)));
        }
        for (int i = 1; i <= setup.shape.consumers(); i++) {
            consumers.add(new Member("consumer-" + i, database.newLink(), launches::consumer));
        }
        this.keeper = own(new Keeper(members()));
    }

    /** Starts the servers; the processes come with {@link Member#start}. */
    public static World create(Setup setup) throws IOException, SQLException {
        World world = new World(setup);
        // Ctrl-C ends this JVM without unwinding anything, and PostgreSQL is no child of it.
        Runtime.getRuntime().addShutdownHook(new Thread(world::close, "world"));
        return world;
    }

    private BrokerServer startBroker() {
        int port = FreePort.find();
        TcpProxy link = own(TcpProxy.to(port));
        LocalKafka.Builder kafka =
                LocalKafka.builder(setup.folder.resolve("kafka")).port(port).advertisedPort(link.port());
        List<TcpProxy> relayLinks = new ArrayList<>();
        for (int i = 0; i < setup.shape.relays(); i++) {
            int relayPort = FreePort.find();
            TcpProxy relayLink = own(TcpProxy.to(relayPort));
            kafka.listener(relayPort, relayLink.port());
            relayLinks.add(relayLink);
        }
        return new BrokerServer(own(kafka.start()), link, List.copyOf(relayLinks));
    }

    private void tables() throws SQLException {
        try (var pool = Outboxes.pool(database.jdbcUrl(), 2)) {
            OutboxSchema.apply(pool, setup.engine);
            InboxSchema.apply(pool);
            Effects.create(pool);
        }
        Ledger.create(database.jdbcUrl(), setup.keys);
    }

    public Engine engine() {
        return setup.engine;
    }

    public DatabaseServer database() {
        return database;
    }

    public BrokerServer broker() {
        return broker;
    }

    public List<Member> relays() {
        return List.copyOf(relays);
    }

    public List<Member> writers() {
        return List.copyOf(writers);
    }

    public List<Member> consumers() {
        return List.copyOf(consumers);
    }

    public List<Member> members() {
        return Stream.of(relays, writers, consumers).flatMap(List::stream).toList();
    }

    /**
     * Starts an operator who locks lanes and does not commit; returns when it holds the locks.
     *
     * @see OperatorProgram
     */
    public ChildProcess startOperator() throws IOException {
        ChildProcess operator = own(new Launches(setup, this).operator());
        return operator.awaitOutput(OperatorProgram.HOLDING);
    }

    /** How often the process of each place has ended by itself and was started again. */
    public Map<String, Integer> restarts() {
        return keeper.restarts();
    }

    /** A folder for whatever a fault needs. */
    public Path folder() {
        return setup.folder;
    }

    public Path logs() {
        return setup.folder.resolve("logs");
    }

    public Path histories() {
        return setup.folder.resolve("histories");
    }

    /** Closed with the world, the latest first. */
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
        keeper.close();
        members().forEach(Member::kill);
        // Nobody needs their last words, and an orderly shutdown takes its time; what was durable stays.
        broker.server().kill();
        database.server().kill();
        database.links().forEach(TcpProxy::close);
        for (AutoCloseable resource : List.copyOf(owned)) {
            try {
                resource.close();
            } catch (Exception e) {
                System.err.println("Cannot close " + resource + ": " + e);
            }
        }
    }
}
