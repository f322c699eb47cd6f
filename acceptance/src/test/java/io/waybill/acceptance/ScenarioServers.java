package io.waybill.acceptance;

import io.waybill.embedded.LocalMariaDb;
import io.waybill.embedded.LocalPostgres;
import io.waybill.faults.database.PostgresPair;
import io.waybill.faults.history.Delivered;
import io.waybill.faults.history.TopicDump;
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
 * The servers of a scenario: an empty database and a broker.
 *
 * @param topics reads a topic from the broker with a plain client of its own
 */
public record ScenarioServers(String jdbcUrl, String broker, Function<String, List<Delivered>> topics) {
    private static final AtomicInteger DATABASES = new AtomicInteger();

    /** Uses Kafka. */
    public ScenarioServers(String jdbcUrl, String bootstrapServers) {
        this(jdbcUrl, bootstrapServers, topic -> TopicDump.read(bootstrapServers, topic));
    }

    /** A database on the shared server, and the shared broker. Tests must not break them. */
    public static ScenarioServers shared() {
        return on(SharedServers.postgres());
    }

    /** A database on the given server, and the shared broker. */
    public static ScenarioServers on(LocalPostgres postgres) {
        return new ScenarioServers(database(postgres), SharedServers.kafka().bootstrapServers());
    }

    /** A database on the given server, and the shared broker. */
    public static ScenarioServers on(LocalMariaDb mariaDb) {
        String name = create(mariaDb.jdbcUrl(""));
        return new ScenarioServers(mariaDb.jdbcUrl(name), SharedServers.kafka().bootstrapServers());
    }

    /** A database on the current primary of the pair, and the shared broker. */
    public static ScenarioServers on(PostgresPair pair) {
        String name = databaseName(database(pair.primary()));
        return new ScenarioServers(pair.jdbcUrl(name), SharedServers.kafka().bootstrapServers());
    }

    /** A database on the shared server, and the given broker. */
    public static ScenarioServers on(String bootstrapServers) {
        return new ScenarioServers(database(SharedServers.postgres()), bootstrapServers);
    }

    /** Creates the topic. Only needed if a test cannot wait for the broker to create it at first use. */
    public void createTopic(String name) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker))) {
            admin.createTopics(List.of(new NewTopic(name, Optional.of(3), Optional.empty())))
                    .all()
                    .get(1, TimeUnit.MINUTES);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException("Cannot create topic " + name, e);
        }
    }

    public List<Delivered> read(String topic) {
        return topics.apply(topic);
    }

    public static String databaseName(String jdbcUrl) {
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
