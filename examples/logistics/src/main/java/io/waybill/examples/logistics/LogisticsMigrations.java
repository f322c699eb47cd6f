package io.waybill.examples.logistics;

import io.waybill.jdbc.layout.Layout;
import io.waybill.jdbc.layout.LayoutSchema;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.flywaydb.core.Flyway;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.flyway.autoconfigure.FlywayMigrationStrategy;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.stereotype.Component;

/** Migrates the tables of the service, then creates the tables of the relay, which have a schema of their own. */
@Component
class LogisticsMigrations implements FlywayMigrationStrategy {
    private final Environment settings;
    private final ResourceLoader resources;

    LogisticsMigrations(Environment settings, ResourceLoader resources) {
        this.settings = settings;
        this.resources = resources;
    }

    @Override
    public void migrate(Flyway flyway) {
        flyway.migrate();
        String name = settings.getRequiredProperty("waybill.layout.name");
        try {
            Layout layout = Layout.parse(name, resources.getResource(name).getContentAsString(StandardCharsets.UTF_8));
            PGSimpleDataSource owner = new PGSimpleDataSource();
            owner.setUrl(settings.getRequiredProperty("spring.datasource.url"));
            owner.setUser(settings.getRequiredProperty("spring.flyway.user"));
            owner.setPassword(settings.getProperty("spring.flyway.password"));
            owner.setCurrentSchema(layout.schema());
            LayoutSchema.apply(owner, layout);
            try (Connection connection = owner.getConnection();
                    Statement statement = connection.createStatement()) {
                String relay = settings.getRequiredProperty("waybill.layout.username");
                for (String grant : LayoutSchema.grants(layout, relay)) {
                    statement.execute(grant);
                }
            }
        } catch (IOException | SQLException e) {
            throw new IllegalStateException("Cannot create the tables of the relay: " + e.getMessage(), e);
        }
    }
}
