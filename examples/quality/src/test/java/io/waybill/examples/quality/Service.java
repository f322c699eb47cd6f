package io.waybill.examples.quality;

import io.waybill.testkit.servers.SharedServers;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** The whole service in this JVM, on a database of its own. */
public final class Service implements AutoCloseable {
    public static final String SECRET = "0123456789abcdef0123456789abcdef";

    private final ConfigurableApplicationContext context;
    private final String database;
    private final Api api;

    private Service(ConfigurableApplicationContext context, String database, Api api) {
        this.context = context;
        this.database = database;
        this.api = api;
    }

    /** The service that most tests share; they do not touch rows that other tests count. */
    public static Service shared() {
        return Shared.SERVICE;
    }

    public static Service start(String database, String... settings) {
        List<String> all = settings(database, 0, settings);
        ConfigurableApplicationContext context =
                new SpringApplicationBuilder(QualityApplication.class).run(all.toArray(String[]::new));
        int port = context.getEnvironment().getProperty("local.server.port", Integer.class, 0);
        return new Service(context, database, new Api(port));
    }

    /** What tests need, and in its place what one of them wants otherwise: Spring would take two values for a list. */
    static List<String> settings(String database, int port, String... own) {
        Map<String, String> all = new LinkedHashMap<>();
        Stream.concat(
                        Stream.of(
                                "--spring.datasource.url=" + database,
                                "--server.port=" + port,
                                "--quality.jwt-secret=" + SECRET,
                                "--quality.data=" + Path.of("target", "quality-data"),
                                "--waybill.relay.lease=2s",
                                "--waybill.inbox.retry.first-delay=50ms",
                                "--waybill.inbox.retry.longest-delay=200ms",
                                "--logging.level.root=warn"),
                        Stream.of(own))
                .forEach(setting -> all.put(setting.replaceAll("=.*", ""), setting));
        return List.copyOf(all.values());
    }

    public ConfigurableApplicationContext context() {
        return context;
    }

    public Api api() {
        return api;
    }

    public JdbcTemplate jdbc() {
        return Rows.of(database);
    }

    @Override
    public void close() {
        context.close();
    }

    private static final class Shared {
        static final Service SERVICE = start(SharedServers.freshDatabase());
    }
}
