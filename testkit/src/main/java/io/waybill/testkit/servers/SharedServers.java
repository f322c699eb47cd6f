package io.waybill.testkit.servers;

import io.waybill.embedded.LocalKafka;
import io.waybill.embedded.LocalNats;
import io.waybill.embedded.LocalPostgres;
import io.waybill.embedded.LocalRabbit;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One server of each kind for all tests of this JVM, each started when it is first asked for and stopped when the
 * JVM exits.
 *
 * <p>Tests keep apart by taking a {@link #freshDatabase()} and topics with names of their own, and never kill, suspend
 * or close these servers.
 */
public final class SharedServers {

    private static final AtomicInteger DATABASES = new AtomicInteger();

    private SharedServers() {}

    public static LocalPostgres postgres() {
        return Postgres.SERVER;
    }

    public static LocalKafka kafka() {
        return Kafka.SERVER;
    }

    /** Aborts the test, loudly, where RabbitMQ is not installed and cannot be. */
    public static LocalRabbit rabbit() {
        DebianPackage.require("rabbitmq-server", LocalRabbit.PROGRAM);
        return Rabbit.SERVER;
    }

    /** Aborts the test, loudly, where NATS is not installed and cannot be. */
    public static LocalNats nats() {
        DebianPackage.require("nats-server", LocalNats.PROGRAM);
        return Nats.SERVER;
    }

    /** Creates an empty database on the shared PostgreSQL and returns its JDBC address, with user. */
    public static String freshDatabase() {
        String name = "test_" + DATABASES.incrementAndGet();
        try (Connection connection = DriverManager.getConnection(postgres().jdbcUrl());
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "Cannot create database " + name + " on the shared PostgreSQL; see the log in "
                            + postgres().folder(),
                    e);
        }
        return postgres().jdbcUrl(name);
    }

    // The holders are initialized by the first thread that asks; a second one waits for it.

    private static final class Postgres {
        static final LocalPostgres SERVER = LocalPostgres.start(ServersFolder.subfolder("postgres"));

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
