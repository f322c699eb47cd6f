package io.waybill.server.database.mongodb;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoException;
import com.mongodb.ReadPreference;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.waybill.internal.Secrets;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.layout.Layout;
import io.waybill.jdbc.layout.LayoutFinding;
import io.waybill.saga.store.SagaStore;
import io.waybill.server.config.Configuration;
import io.waybill.server.database.DatabaseAddress;
import io.waybill.server.database.InboxOperations;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.database.StoredPart;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Finding;
import io.waybill.server.problem.Problem;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.bson.Document;

/** A database on a MongoDB server. All short commands with the same time limit share one client. */
final class MongoOutboxDatabase implements OutboxDatabase {
    private static final Duration CONNECT = Duration.ofSeconds(5);

    /** A server that hangs must not block a thread forever. No operation of a relay takes this long. */
    private static final Duration ANSWER = Duration.ofSeconds(30);

    private static final int FEW_CONNECTIONS = 4;

    private final DatabaseAddress address;
    private final String name;
    /** The clients of commands, by the time limit for an answer. */
    private final Map<Duration, MongoClient> clients = new HashMap<>();

    MongoOutboxDatabase(DatabaseAddress address) {
        this.address = address;
        this.name = address.place().substring(address.place().indexOf('/') + 1);
    }

    @Override
    public DatabaseAddress address() {
        return address;
    }

    String name() {
        return name;
    }

    /** MongoDB creates a database with its first collection. */
    @Override
    public OutboxDatabase creating() {
        return this;
    }

    /** The client of commands, without a time limit for operations. */
    MongoClient client() {
        return client(Duration.ZERO);
    }

    private synchronized MongoClient client(Duration answer) {
        return clients.computeIfAbsent(answer, limit -> connect(CONNECT, limit, FEW_CONNECTIONS));
    }

    MongoClient withTimeout(Duration limit) {
        return connect(limit, limit, FEW_CONNECTIONS);
    }

    MongoClient pool(int size) {
        return connect(CONNECT, ANSWER, size);
    }

    /**
     * Creates a client. Options in the address override the arguments.
     *
     * @param answer the time limit for an answer of the server; zero for no limit
     */
    private MongoClient connect(Duration connect, Duration answer, int connections) {
        try {
            ConnectionString url = new ConnectionString(address.url());
            MongoClientSettings.Builder settings = MongoClientSettings.builder()
                    .applicationName("waybill")
                    .applyToClusterSettings(
                            cluster -> cluster.serverSelectionTimeout(connect.toMillis(), TimeUnit.MILLISECONDS))
                    .applyToSocketSettings(socket -> socket.connectTimeout(connect.toMillis(), TimeUnit.MILLISECONDS)
                            .readTimeout(answer.toMillis(), TimeUnit.MILLISECONDS))
                    .applyToConnectionPoolSettings(
                            pool -> pool.maxSize(connections).maxWaitTime(connect.toMillis(), TimeUnit.MILLISECONDS));
            return MongoClients.create(settings.applyConnectionString(url).build());
        } catch (IllegalArgumentException | MongoException e) {
            throw new Problem(
                    Exit.USAGE,
                    "Cannot use the database address '" + Secrets.mask(address.url()) + "': "
                            + Secrets.maskIn(String.valueOf(e.getMessage()), address.url()),
                    e);
        }
    }

    @Override
    public void ping() {
        ping(client());
    }

    void ping(MongoClient connected) {
        try {
            connected.getDatabase(name).runCommand(new Document("ping", 1), ReadPreference.primary());
        } catch (MongoException e) {
            throw explain(e);
        }
    }

    @Override
    public OutboxTables outbox(Configuration configuration) {
        return outbox(configuration, Duration.ZERO);
    }

    @Override
    public OutboxTables outbox(Configuration configuration, Duration limit) {
        address.access().require(configuration);
        MongoClient client = client(limit);
        ping(client);
        return new MongoOutboxTables(this, client, configuration);
    }

    @Override
    public StoredPart<InboxOperations> inbox() {
        return new MongoInboxPart(this);
    }

    @Override
    public StoredPart<SagaStore<?>> sagas() {
        throw MongoAccess.noSagas();
    }

    @Override
    public List<Finding> examine(Configuration configuration) {
        return MongoDoctor.examine(this, configuration);
    }

    @Override
    public List<LayoutFinding> check(Layout layout) {
        throw MongoAccess.noLayouts();
    }

    @Override
    public OptionalLong migrate(Engine engine, boolean fenceRelays) {
        MongoAccess.require(engine);
        return OptionalLong.empty();
    }

    @Override
    public Problem explain(Throwable failure) {
        return MongoProblems.explain(failure, address);
    }

    @Override
    public boolean isTransient(Throwable failure) {
        return MongoProblems.isTransient(failure);
    }

    @Override
    public synchronized void close() {
        clients.values().forEach(MongoClient::close);
        clients.clear();
    }
}
