package io.waybill.server.database.mongodb;

import com.mongodb.client.MongoClient;
import io.waybill.WaybillException;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.JdbcQueue.OnSuccess;
import io.waybill.mongodb.OutboxSchema;
import io.waybill.mongodb.internal.outbox.Lanes;
import io.waybill.server.config.Configuration;
import io.waybill.server.config.Settings;
import io.waybill.server.database.DemoOrders;
import io.waybill.server.database.EventWriter;
import io.waybill.server.database.OutboxConnection;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.problem.Problem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** The collections of the outbox. Their documents have a state, as the rows of the queue engine do. */
final class MongoOutboxTables implements OutboxTables {
    private static final Duration CONSOLE = Duration.ofSeconds(10);

    private final MongoOutboxDatabase database;
    private final MongoClient client;
    private final Configuration configuration;

    /** @param client for commands; closed by the database */
    MongoOutboxTables(MongoOutboxDatabase database, MongoClient client, Configuration configuration) {
        this.database = database;
        this.client = client;
        this.configuration = configuration;
    }

    @Override
    public OutboxDatabase database() {
        return database;
    }

    @Override
    public Engine engine() {
        return Engine.QUEUE;
    }

    @Override
    public String title() {
        return "collections of MongoDB";
    }

    @Override
    public int version() {
        return OutboxSchema.VERSION;
    }

    @Override
    public boolean create() {
        boolean missing = !problems().isEmpty();
        OutboxSchema.apply(client, database.name());
        return missing;
    }

    @Override
    public List<String> problems() {
        return OutboxSchema.problems(client, database.name());
    }

    @Override
    public List<String> relayProblems() {
        return relayProblems(client);
    }

    private List<String> relayProblems(MongoClient connected) {
        List<String> problems = new ArrayList<>(Topology.of(connected).problems());
        problems.addAll(OutboxSchema.problems(connected, database.name()));
        return problems;
    }

    @Override
    public OutboxTables requireReadyForRelay() {
        List<String> problems = new ArrayList<>(relayProblems());
        if (!problems.isEmpty() && !problems().isEmpty()) {
            problems.add("Or add --apply-schema to this command.");
        }
        database.requireNone(problems);
        return this;
    }

    @Override
    public OutboxTables requireValidForAppend() {
        List<String> problems;
        try {
            problems = problems();
        } catch (WaybillException e) {
            if (MongoProblems.lacksPrivilege(e)) {
                return this;
            }
            throw e;
        }
        database.requireNone(problems);
        return this;
    }

    @Override
    public OutboxTables forRelay() {
        if (configuration.get(Settings.RELAY_ON_SUCCESS) == OnSuccess.DELETE) {
            throw Problem.usage(
                    "relay.on-success: delete requires the queue engine of a relational database. On MongoDB,"
                            + " published events are kept until their retention ends: remove it and set relay.retention.");
        }
        return this;
    }

    @Override
    public OutboxConnection outbox() {
        return connection(client, () -> {});
    }

    @Override
    public OutboxConnection withTimeout(Duration limit) {
        MongoClient own = database.withTimeout(limit);
        return connection(own, own::close);
    }

    @Override
    public OutboxConnection pool(int size) {
        MongoClient own = database.pool(size);
        return connection(own, own::close);
    }

    @Override
    public OutboxConnection console() {
        return withTimeout(CONSOLE);
    }

    private OutboxConnection connection(MongoClient connected, Runnable close) {
        return new MongoOutboxConnection(database, connected, () -> relayProblems(connected), close);
    }

    @Override
    public EventWriter writer(int maxPayload) {
        return new MongoEventWriter(client, database.name(), maxPayload);
    }

    @Override
    public Optional<DataSource> dataSource() {
        return Optional.empty();
    }

    @Override
    public DemoOrders demoOrders() {
        return new MongoDemoOrders(database.withTimeout(Duration.ofSeconds(10)), database.name());
    }

    @Override
    public int lanes() {
        return Lanes.COUNT;
    }

    @Override
    public void changeLanes(int lanes, boolean fenceRelays) {
        throw Problem.usage(
                "The number of lanes cannot be changed on MongoDB. Up to eight relays can share the eight" + " lanes.");
    }

    @Override
    public boolean needsRebase() {
        return false;
    }

    @Override
    public long rebase() {
        return 0;
    }
}
