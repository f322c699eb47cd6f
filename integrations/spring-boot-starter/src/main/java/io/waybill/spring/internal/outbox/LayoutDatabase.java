package io.waybill.spring.internal.outbox;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.WaybillException;
import io.waybill.jdbc.JdbcQueue;
import io.waybill.jdbc.layout.Layout;
import io.waybill.jdbc.layout.LayoutCheck;
import io.waybill.jdbc.layout.LayoutFinding;
import io.waybill.jdbc.layout.LayoutSchema;
import io.waybill.spring.LayoutProperties;
import io.waybill.spring.WaybillProperties.Schema;
import io.waybill.spring.internal.start.StartFailure;
import io.waybill.store.StoreException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;

/**
 * The connections of a relay that serves a table of the application. They differ from those of the application: their default
 * schema is that of Waybill's own tables, and their user may be one that sees the rows of all tenants.
 */
final class LayoutDatabase implements AutoCloseable {
    private final Layout layout;
    private final HikariDataSource connections = new HikariDataSource();

    LayoutDatabase(LayoutProperties settings, Environment environment, ResourceLoader resources) {
        this.layout = layout(settings.name(), resources);
        String url = either(settings.url(), environment, "spring.datasource.url");
        if (url == null) {
            throw new StartFailure(
                    "waybill.layout.name is set, and the address of the database is not known.",
                    "Set spring.datasource.url or waybill.layout.url.");
        }
        String user = either(settings.username(), environment, "spring.datasource.username");
        connections.setPoolName("waybill-layout");
        connections.setJdbcUrl(withSchema(url, layout.schema()));
        connections.setUsername(user);
        boolean sameUser = settings.username() == null;
        connections.setPassword(
                sameUser
                        ? either(settings.password(), environment, "spring.datasource.password")
                        : settings.password());
        connections.setMaximumPoolSize(settings.poolSize());
        connections.setMinimumIdle(0);
        connections.setInitializationFailTimeout(-1); // the relay retries; the check at the start reports the reason
    }

    private static @Nullable String either(@Nullable String own, Environment environment, String otherwise) {
        return own == null ? environment.getProperty(otherwise) : own;
    }

    private static Layout layout(String name, ResourceLoader resources) {
        try {
            if (Layout.names().contains(name)) {
                return Layout.of(name, Path.of(""));
            }
            Resource resource = resources.getResource(name.contains(":") ? name : "file:" + name);
            return Layout.parse(name, resource.getContentAsString(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new StartFailure(
                    "waybill.layout.name is " + name + ", which cannot be read: " + e.getMessage() + ".",
                    "Name one of the built-in layouts (" + String.join(", ", Layout.names())
                            + "), or a file, or a resource such as classpath:outbox.properties.");
        } catch (WaybillException e) {
            throw new StartFailure(
                    "waybill.layout.name is " + name + ". " + e.getMessage(), "Correct it, then start again.");
        }
    }

    private static String withSchema(String url, String schema) {
        return url.contains("currentSchema=") ? url : url + (url.contains("?") ? "&" : "?") + "currentSchema=" + schema;
    }

    Layout layout() {
        return layout;
    }

    /** @throws StartFailure if the tables of the layout are missing, or the application's table cannot be served */
    JdbcQueue engine(Schema atStart) {
        try {
            if (atStart == Schema.APPLY) {
                LayoutSchema.apply(connections, layout);
            }
            if (atStart != Schema.NONE) {
                check();
            }
        } catch (StoreException e) {
            throw new StartFailure(
                    "The relay cannot use the tables of layout " + layout.name() + ". " + e.getMessage(),
                    "Check waybill.layout.url, username and password.");
        }
        return JdbcQueue.on(connections, layout);
    }

    private void check() {
        List<String> problems = LayoutSchema.problems(connections, layout);
        if (!problems.isEmpty()) {
            throw new StartFailure(
                    String.join(System.lineSeparator(), problems),
                    "Set waybill.schema=apply, or give the output of ./waybill schema print --layout to your migration tool.");
        }
        for (LayoutFinding found : LayoutCheck.of(connections, layout)) {
            if (found.level() == LayoutFinding.Level.REFUSED) {
                throw new StartFailure(
                        "The relay cannot serve " + layout.table() + ": " + found.what() + ": " + found.detail(),
                        found.remedy());
            }
        }
    }

    @Override
    public void close() {
        connections.close();
    }
}
