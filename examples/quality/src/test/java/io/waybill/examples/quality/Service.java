package io.waybill.examples.quality;

import io.waybill.testkit.servers.SharedServers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

    /** The one that most tests share: they leave what others count alone. */
    public static Service shared() {
        return Shared.SERVICE;
    }

    public static Service start(String database, String... settings) {
        List<String> all = settings(database);
        all.add("--server.port=0");
        all.addAll(List.of(settings));
        ConfigurableApplicationContext context =
                new SpringApplicationBuilder(QualityApplication.class).run(all.toArray(String[]::new));
        int port = context.getEnvironment().getProperty("local.server.port", Integer.class, 0);
        return new Service(context, database, new Api(port));
    }

    static List<String> settings(String database) {
        return new ArrayList<>(List.of(
                "--spring.datasource.url=" + database,
                "--quality.jwt-secret=" + SECRET,
                "--quality.data=" + folder(),
                "--waybill.relay.lease=2s",
                "--waybill.inbox.retry.first-delay=50ms",
                "--waybill.inbox.retry.longest-delay=200ms",
                "--logging.level.root=warn"));
    }

    private static Path folder() {
        return Path.of("target", "quality-data");
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
