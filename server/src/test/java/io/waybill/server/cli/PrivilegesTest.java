package io.waybill.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.server.cli.Waybill.Result;
import io.waybill.testkit.servers.SharedServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Roles with exactly what docs/tables.md grants them. */
class PrivilegesTest {
    @TempDir
    private Path folder;

    private final String database = SharedServers.freshDatabase();
    private Waybill owner;

    @BeforeEach
    void schemaIsThere() {
        owner = as(null);
        assertThat(owner.run("schema", "apply").exit()).isZero();
    }

    @Test
    void aRelayRelaysAndIsHealthy() throws Exception {
        Waybill relay = as(roleLike("shop_relay"));
        Result doctor = relay.run("doctor");
        assertThat(doctor.exit()).as(doctor.out()).isZero();
        assertThat(doctor.out())
                .contains("a relay may do all it must")
                .containsPattern("warn  operator .*may not replay or discard")
                .contains("GRANT INSERT ON outbox_audit TO");

        append(owner);
        Result relayed = relay.run("relay", "--once");
        assertThat(relayed.out()).as(relayed.err()).contains("Published 1 event.");
    }

    @Test
    void aWriterAppendsAndLearnsWhatItMayNot() throws Exception {
        String role = roleLike("shop_service");
        Waybill writer = as(role);
        Result appended = append(writer);
        assertThat(appended.exit()).as(appended.err()).isZero();
        assertThat(writer.input("{\"type\":\"t\",\"aggregateType\":\"T\",\"key\":\"2\"}\n")
                        .run("append")
                        .exit())
                .isZero();
        assertThat(owner.run("events", "--json").out().lines()).hasSize(2);

        Result doctor = writer.run("doctor");
        assertThat(doctor.exit()).isEqualTo(3);
        assertThat(doctor.out())
                .containsPattern("FAIL  schema .*not checked")
                .contains("GRANT SELECT ON waybill_schema TO " + role + ";")
                .contains("may append events, but may not do all that a relay must")
                .containsPattern("ok    transactions ")
                .containsPattern("ok    broker ");
    }

    private static Result append(Waybill waybill) {
        return waybill.run("append", "--type", "t", "--aggregate-type", "T", "--key", "1");
    }

    private Waybill as(@Nullable String role) {
        Waybill waybill = new Waybill(folder)
                .with("WAYBILL_DATABASE_URL", database)
                .with("WAYBILL_BROKER_URL", SharedServers.kafka().bootstrapServers());
        return role == null ? waybill : waybill.with("WAYBILL_DATABASE_USER", role);
    }

    /** A new role with the grants that the page has for the role of this name. */
    private String roleLike(String documented) throws IOException, SQLException {
        String role = documented + "_" + System.nanoTime();
        List<String> grants = Files.readAllLines(Path.of("../docs/tables.md")).stream()
                .filter(line -> line.startsWith("GRANT ") && line.endsWith(" TO " + documented + ";"))
                .toList();
        assertThat(grants).isNotEmpty();
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE ROLE " + role + " LOGIN");
            for (String grant : grants) {
                statement.execute(grant.replace(documented, role));
            }
        }
        return role;
    }
}
