package io.waybill.acceptance;

import io.waybill.embedded.LocalMariaDb;
import io.waybill.embedded.LocalPostgres;
import io.waybill.testkit.history.Delivered;
import io.waybill.testkit.history.TopicDump;
import io.waybill.testkit.servers.PostgresPair;
import io.waybill.testkit.servers.SharedServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * Where a scenario runs: an empty database, and a broker.
 *
 * @param topics reads a topic from the broker with a plain client of its own
 */
record Servers(String jdbcUrl, String broker, Function<String, List<Delivered>> topics) {
    private static final AtomicInteger DATABASES = new AtomicInteger();

    /** With Kafka. */
    Servers(String jdbcUrl, String bootstrapServers) {
        this(jdbcUrl, bootstrapServers, topic -> TopicDump.read(bootstrapServers, topic));
    }

    /** A database and the broker that all tests share; nobody may break them. */
    static Servers shared() {
        return on(SharedServers.postgres());
    }

    /** A database on the given server, and the broker that all tests share. */
    static Servers on(LocalPostgres postgres) {
        return new Servers(database(postgres), SharedServers.kafka().bootstrapServers());
    }

    /** A database on the given server, and the broker that all tests share. */
    static Servers on(LocalMariaDb mariaDb) {
        String name = create(mariaDb.jdbcUrl(""));
        return new Servers(mariaDb.jdbcUrl(name), SharedServers.kafka().bootstrapServers());
    }

    /** A database on whichever server of the pair is the primary, and the broker that all tests share. */
    static Servers on(PostgresPair pair) {
        String name = databaseName(database(pair.primary()));
        return new Servers(pair.jdbcUrl(name), SharedServers.kafka().bootstrapServers());
    }

    /** A database on the server that all tests share, and the given broker. */
    static Servers on(String bootstrapServers) {
        return new Servers(database(SharedServers.postgres()), bootstrapServers);
    }

    /** Where the time in which a topic must be there is short; elsewhere the broker creates it when it is first asked for. */
    void createTopic(String name) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker))) {
            admin.createTopics(List.of(new NewTopic(name, Optional.of(3), Optional.empty())))
                    .all()
                    .get(1, TimeUnit.MINUTES);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException("Cannot create topic " + name, e);
        }
    }

    List<Delivered> read(String topic) {
        return topics.apply(topic);
    }

    static String databaseName(String jdbcUrl) {
        return jdbcUrl.replaceFirst("\\?.*", "").replaceFirst(".*/", "");
    }

    private static String database(LocalPostgres postgres) {
        return postgres.jdbcUrl(create(postgres.jdbcUrl()));
    }

    private static String create(String jdbcUrl) {
        String name = "acceptance_" + DATABASES.incrementAndGet();
        try (Connection connection = DriverManager.getConnection(jdbcUrl);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot create database " + name, e);
        }
        return name;
    }
}
