package io.waybill.embedded.mongo;

import static java.util.Objects.requireNonNull;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Speaks the MongoDB wire protocol to drivers and SQL to PostgreSQL with the DocumentDB extension. It is meant for tests and demos:
 * there is no authentication and no encryption. To a driver it is the primary of a replica set with one member.
 *
 * <p>When PostgreSQL ends, drivers lose their connections, as if a mongod had crashed. The gateway keeps the memory of retryable writes,
 * so a test that simulates a crash kills PostgreSQL and not the gateway.
 */
public final class MongoGateway implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MongoGateway.class);
    private static final int BACKLOG = 200;

    private final ServerSocket listener;
    private final Connections connections;
    private final Engine engine;
    private final Sessions sessions;
    private final Set<Socket> clients = ConcurrentHashMap.newKeySet();

    private MongoGateway(String jdbcUrl) throws IOException, SQLException {
        connections = new Connections(jdbcUrl);
        listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        engine = new Engine(connections, hello(address()));
        sessions = new Sessions(jdbcUrl, connections, engine);
    }

    /**
     * Listens on a free port of 127.0.0.1.
     *
     * @param jdbcUrl the address of a PostgreSQL that runs, with user
     */
    public static MongoGateway start(String jdbcUrl) {
        try {
            MongoGateway gateway = new MongoGateway(requireNonNull(jdbcUrl, "jdbcUrl"));
            thread(gateway::accept);
            return gateway;
        } catch (IOException | SQLException e) {
            throw new IllegalStateException("Cannot start a MongoDB gateway for " + jdbcUrl + ": " + e, e);
        }
    }

    /** The port on 127.0.0.1. */
    public int port() {
        return listener.getLocalPort();
    }

    /** The connection string for a driver. */
    public String uri() {
        return "mongodb://" + address() + "/?replicaSet=rs0";
    }

    private String address() {
        return "127.0.0.1:" + port();
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket client : clients) {
                client.close();
            }
        } catch (IOException e) {
            LOG.debug("Cannot close a connection of the MongoDB gateway on port {}", port(), e);
        }
        sessions.close();
        engine.close();
        connections.discardIdle();
    }

    private static void thread(Runnable work) {
        Thread thread = new Thread(work, "mongo-gateway");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                clients.add(client);
                thread(() -> serve(client));
            }
        } catch (IOException closed) {
            LOG.debug("The MongoDB gateway on port {} was closed", port());
        }
    }

    private void serve(Socket client) {
        try (client) {
            client.setTcpNoDelay(true);
            InputStream in = new BufferedInputStream(client.getInputStream());
            Optional<Wire.Request> request = Wire.read(in);
            while (request.isPresent()) {
                Wire.Request current = request.get();
                BsonDocument reply = sessions.execute(current.database(), current.command());
                if (current.answered()) {
                    client.getOutputStream().write(current.reply(reply));
                }
                request = Wire.read(in);
            }
        } catch (IOException | SQLException | RuntimeException e) {
            // The client loses its connection, as if a mongod had crashed.
            LOG.debug("The MongoDB gateway on port {} lost a client or PostgreSQL", port(), e);
        } finally {
            clients.remove(client);
        }
    }

    private static BsonDocument hello(String address) {
        return Bson.ok()
                .append("ismaster", BsonBoolean.TRUE)
                .append("isWritablePrimary", BsonBoolean.TRUE)
                .append("secondary", BsonBoolean.FALSE)
                .append("setName", new BsonString("rs0"))
                .append("setVersion", new BsonInt32(1))
                .append("me", new BsonString(address))
                .append("hosts", new BsonArray(List.of(new BsonString(address))))
                .append("primary", new BsonString(address))
                .append("maxBsonObjectSize", new BsonInt32(16 << 20))
                .append("maxMessageSizeBytes", new BsonInt32(48_000_000))
                .append("maxWriteBatchSize", new BsonInt32(25_000))
                .append("logicalSessionTimeoutMinutes", new BsonInt32(30))
                .append("minWireVersion", new BsonInt32(0))
                .append("maxWireVersion", new BsonInt32(21))
                .append("helloOk", BsonBoolean.TRUE);
    }
}
