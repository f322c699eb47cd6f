package io.waybill.testkit.servers;

import io.waybill.embedded.DebianServer;
import io.waybill.embedded.LocalDocumentDb;
import io.waybill.embedded.LocalKafka;
import io.waybill.embedded.LocalMariaDb;
import io.waybill.embedded.LocalMySql;
import io.waybill.embedded.LocalNats;
import io.waybill.embedded.LocalPostgres;
import io.waybill.embedded.LocalRabbit;
import io.waybill.embedded.LocalServer;
import io.waybill.embedded.mongo.MongoGateway;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One server of each kind for all tests of this JVM. Each is started at its first use and stopped when the JVM exits.
 *
 * <p>For isolation, a test uses a {@link #freshDatabase()} and unique topic names. Tests never kill, suspend or close these
 * servers.
 */
public final class SharedServers {

    private static final AtomicInteger DATABASES = new AtomicInteger();

    private SharedServers() {}

    public static LocalPostgres postgres() {
        return Postgres.SERVER;
    }

    /** Aborts the test, and reports it as not run, where there is no MariaDB for this machine. */
    public static LocalMariaDb mariaDb() {
        if (!LocalMariaDb.available()) {
            throw NotRun.because("there is no MariaDB for this machine. Install it and set -Dwaybill.mariadb.home.");
        }
        return MariaDb.SERVER;
    }

    /** Aborts the test, and reports it as not run, where MySQL cannot be downloaded. */
    public static LocalMySql mySql() {
        DebianServer.MYSQL.obstacle().ifPresent(NotRun::because);
        return MySql.SERVER;
    }

    public static LocalKafka kafka() {
        return Kafka.SERVER;
    }

    /** Aborts the test, and reports it as not run, where RabbitMQ is not installed and cannot be installed. */
    public static LocalRabbit rabbit() {
        DebianPackage.require("rabbitmq-server", LocalRabbit.PROGRAM);
        return Rabbit.SERVER;
    }

    /** Aborts the test, and reports it as not run, where NATS is not installed and cannot be installed. */
    public static LocalNats nats() {
        DebianPackage.require("nats-server", LocalNats.PROGRAM);
        return Nats.SERVER;
    }

    /**
     * The connection string of a MongoDB with transactions: the replica set that the environment variable {@code MONGODB_URI} names or,
     * without it, DocumentDB behind a gateway. Aborts the test, and reports it as not run, where DocumentDB cannot be downloaded.
     */
    public static String mongoUri() {
        String uri = System.getenv("MONGODB_URI");
        if (uri != null && !uri.isBlank()) {
            return uri;
        }
        DebianServer.DOCUMENTDB.obstacle().ifPresent(NotRun::because);
        return Mongo.GATEWAY.uri();
    }

    /** Returns a database name that no other test uses, also on a MongoDB that several test runs share. */
    public static String freshMongoName() {
        return "waybill_test_" + ProcessHandle.current().pid() + "_" + DATABASES.incrementAndGet();
    }

    /** Creates an empty database on the shared PostgreSQL and returns its JDBC address, with user. */
    public static String freshDatabase() {
        return freshDatabase(postgres());
    }

    /** Creates an empty database on another PostgreSQL and returns its JDBC address, with user. */
    public static String freshDatabase(LocalPostgres server) {
        return server.jdbcUrl(create(server.jdbcUrl(), "PostgreSQL", server));
    }

    /** Creates an empty database on the shared MariaDB and returns its JDBC address, with user. */
    public static String freshMariaDb() {
        return freshMariaDb(mariaDb());
    }

    /** Creates an empty database on another MariaDB and returns its JDBC address, with user. */
    public static String freshMariaDb(LocalMariaDb server) {
        return server.jdbcUrl(create(server.jdbcUrl(""), "MariaDB", server));
    }

    /** Creates an empty database on the shared MySQL and returns its JDBC address, with user, for this driver. */
    public static String freshMySql(LocalMySql.Driver driver) {
        return mySql().jdbcUrl(driver, create(mySql().jdbcUrl(driver, ""), "MySQL", mySql()));
    }

    private static String create(String jdbcUrl, String title, LocalServer server) {
        String name = "test_" + DATABASES.incrementAndGet();
        try (Connection connection = DriverManager.getConnection(jdbcUrl);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "Cannot create database " + name + " on " + title + "; see the log in " + server.folder(), e);
        }
        return name;
    }

    // The class initializer of a holder starts the server once; other threads wait for it.

    private static final class Postgres {
        static final LocalPostgres SERVER = LocalPostgres.start(ServersFolder.subfolder("postgres"));

        static {
            ServersFolder.closeAtExit(SERVER);
        }
    }

    private static final class MariaDb {
        static final LocalMariaDb SERVER = LocalMariaDb.start(ServersFolder.subfolder("mariadb"));

        static {
            ServersFolder.closeAtExit(SERVER);
        }
    }

    private static final class Mongo {
        static final LocalDocumentDb SERVER = LocalDocumentDb.start(ServersFolder.subfolder("documentdb"));
        static final MongoGateway GATEWAY = MongoGateway.start(SERVER.jdbcUrl());

        static {
            ServersFolder.closeAtExit(SERVER);
        }
    }

    private static final class MySql {
        static final LocalMySql SERVER = LocalMySql.start(ServersFolder.subfolder("mysql"));

        static {
            ServersFolder.closeAtExit(SERVER);
        }
    }

    private static final class Kafka {
        static final LocalKafka SERVER = LocalKafka.start(ServersFolder.subfolder("kafka"));

        static {
            ServersFolder.closeAtExit(SERVER);
        }
    }

    private static final class Rabbit {
        static final LocalRabbit SERVER = LocalRabbit.start(ServersFolder.subfolder("rabbit"));

        static {
            ServersFolder.closeAtExit(SERVER);
        }
    }

    private static final class Nats {
        static final LocalNats SERVER = LocalNats.start(ServersFolder.subfolder("nats"));

        static {
            ServersFolder.closeAtExit(SERVER);
        }
    }
}
