package io.waybill.examples.quality.operations;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Arrays;
import java.util.List;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationInfoService;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Checks whether requests can be served: the database answers, and its tables have the revision that this program expects. */
@Component
class Readiness {
    private static final Logger LOG = LoggerFactory.getLogger(Readiness.class);

    private final Flyway flyway;

    Readiness(Flyway flyway) {
        this.flyway = flyway;
    }

    Report check() {
        try {
            MigrationInfoService migrations = flyway.info();
            List<String> pending = names(migrations.pending());
            MigrationInfo current = migrations.current();
            String revision = current == null || current.getVersion() == null
                    ? null
                    : current.getVersion().getVersion();
            return pending.isEmpty()
                    ? new Report("ok", "up", revision, pending, null)
                    : new Report(
                            "unavailable",
                            "up",
                            revision,
                            pending,
                            "The tables are of another revision. Migrate them.");
        } catch (FlywayException e) {
            LOG.warn("Not ready: {}", e.getMessage());
            return new Report("unavailable", "down", null, List.of(), "The database does not answer.");
        }
    }

    private static List<String> names(MigrationInfo[] migrations) {
        return Arrays.stream(migrations).map(MigrationInfo::getScript).toList();
    }

    /**
     * @param revision the last versioned migration that was applied
     * @param pending migrations that this program has and the database has not
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Report(
            String status,
            String database,
            @Nullable String revision,
            List<String> pending,
            @Nullable String detail) {
        @JsonIgnore
        boolean ready() {
            return status.equals("ok");
        }
    }
}
