package io.waybill.examples.logistics;

import static java.util.Objects.requireNonNull;

import io.waybill.testkit.servers.SharedServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.TopicExistsException;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** The whole service in this JVM, with a broker that tests can let fail. */
final class Service implements AutoCloseable {
    static final UUID NORTH = UUID.fromString("00000000-0000-4000-8000-000000000001");
    static final UUID SOUTH = UUID.fromString("00000000-0000-4000-8000-000000000002");

    private final String database;
    private final FlakyBroker broker = new FlakyBroker();
    private final ConfigurableApplicationContext context;
    private final Api api;

    private Service(String database, String... own) {
        Map<String, String> settings = new LinkedHashMap<>();
        Stream.concat(
                        Stream.of(
                                "spring.datasource.url=" + database,
                                "server.port=0",
                                "waybill.kafka.bootstrap-servers="
                                        + SharedServers.kafka().bootstrapServers(),
                                "waybill.relay.lease=2s",
                                "waybill.relay.poll-every=20ms",
                                "waybill.relay.idle-limit=50ms",
                                "waybill.relay.retry.first-delay=50ms",
                                "waybill.relay.retry.longest-delay=200ms",
                                "logging.level.root=warn"),
                        Stream.of(own))
                .forEach(setting -> settings.put(setting.replaceAll("=.*", ""), "--" + setting));
        createTopic();
        this.database = database;
        this.context = new SpringApplicationBuilder(LogisticsApplication.class)
                .initializers(application -> application.getBeanFactory().addBeanPostProcessor(broker))
                .run(settings.values().toArray(String[]::new));
        this.api = new Api(context.getEnvironment().getProperty("local.server.port", Integer.class, 0));
    }

    /** Creates the topic first: a service that writes twice loses the events that come before its topic. */
    private static void createTopic() {
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", SharedServers.kafka().bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(OrderTopic.NAME, 3, (short) 1)))
                    .all()
                    .get(1, TimeUnit.MINUTES);
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw new IllegalStateException(e);
            }
        } catch (InterruptedException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the address of a new database, without a user: the service has three. */
    static String freshDatabase() {
        return SharedServers.freshDatabase().replaceFirst("\\?.*", "");
    }

    static Service start(String database, String... settings) {
        return new Service(database, settings);
    }

    static Service shared() {
        return Shared.SERVICE;
    }

    FlakyBroker broker() {
        return broker;
    }

    Api api() {
        return api;
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** The database as one of its users sees it. */
    JdbcTemplate jdbc(String user) {
        return new JdbcTemplate(new DriverManagerDataSource(database, user, ""));
    }

    /** The database as its administrator sees it. */
    JdbcTemplate jdbc() {
        return jdbc("postgres");
    }

    /** Returns the single number that the query selects. */
    long number(String query, Object... parameters) {
        Long found = jdbc().queryForObject(query, Long.class, parameters);
        return requireNonNull(found);
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(database, "postgres", "");
    }

    @Override
    public void close() {
        context.close();
    }

    private static final class Shared {
        static final Service SERVICE = start(freshDatabase());
    }
}
