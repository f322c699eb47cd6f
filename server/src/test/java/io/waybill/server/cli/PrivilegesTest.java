package io.waybill.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.jdbc.Engine;
import io.waybill.server.cli.Waybill.Result;
import io.waybill.server.cli.command.Json;
import io.waybill.testkit.servers.SharedServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Roles with exactly the grants of docs/tables.md. */
@ParameterizedClass
@EnumSource
class PrivilegesTest {
    private final Engine engine;

    @TempDir
    private Path folder;

    private final String database = SharedServers.freshDatabase();
    private Waybill owner;

    PrivilegesTest(Engine engine) {
        this.engine = engine;
    }

    @BeforeEach
    void applySchema() {
        owner = as(null);
        assertThat(owner.run("schema", "apply", "--engine", engine.label()).exit())
                .isZero();
    }

    @Test
    void aRelayRelaysAndIsHealthy() throws Exception {
        Waybill relay = as(roleLike("shop_relay"));
        Result doctor = relay.run("doctor");
        assertThat(doctor.exit()).as(doctor.out()).isZero();
        assertThat(doctor.out())
                .contains("the user has all privileges of a relay")
                .containsPattern("warn  operator .*may not replay or discard")
                .contains("GRANT INSERT ON outbox_audit TO");
        Result status = relay.run("status");
        assertThat(status.exit()).as(status.err()).isZero();

        append(owner);
        Result relayed = relay.run("relay", "--once");
        assertThat(relayed.out()).as(relayed.err()).contains("Published 1 event.");
    }

    @Test
    void aWriterAppendsAndGetsAnErrorForEverythingElse() throws Exception {
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
                .contains("may append events, but lacks privileges that a relay needs")
                .containsPattern("ok    transactions ")
                .containsPattern("ok    broker ");
    }

    @Test
    void aRelayFromWhichPoliciesHideEventsIsRejectedAndDoctorReportsWhy() throws Exception {
        String role = roleLike("shop_relay");
        append(owner);
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement()) {
            statement.execute("ALTER TABLE outbox_events ENABLE ROW LEVEL SECURITY");
        }
        for (List<String> command :
                List.of(List.of("relay", "--once"), List.of("schema", "check"), List.of("status"))) {
            Result refused = as(role).run(command.toArray(String[]::new));
            assertThat(refused.exit()).as(refused.out()).isEqualTo(3);
            assertThat(refused.err()).contains("BYPASSRLS");
        }
        Result doctor = as(role).run("doctor");
        assertThat(doctor.exit()).isEqualTo(3);
        assertThat(doctor.out()).containsPattern("FAIL  relay .*ALTER ROLE " + role + " BYPASSRLS");
        assertThat(owner.run("status", "--json").out()).contains("\"pending\":1");
    }

    private static Result append(Waybill waybill, String... more) {
        return waybill.run(Stream.concat(
                        Stream.of("append", "--type", "t", "--aggregate-type", "T", "--key", "1"), Stream.of(more))
                .toArray(String[]::new));
    }

    private Waybill as(@Nullable String role) {
        Waybill waybill = new Waybill(folder)
                .with("WAYBILL_DATABASE_URL", database)
                .with("WAYBILL_BROKER_URL", SharedServers.kafka().bootstrapServers());
        return role == null ? waybill : waybill.with("WAYBILL_DATABASE_USER", role);
    }

    @Test
    void anOperatorLooksReplaysAndDiscards() throws Exception {
        Waybill relay = as(roleLike("shop_relay"));
        Waybill operator = as(roleLike("shop_operator"));
        for (int i = 0; i < 2; i++) {
            append(new Waybill(folder).with("WAYBILL_DATABASE_URL", database), "--topic", "not legal");
        }
        Result once = relay.run("relay", "--once");
        assertThat(once.exit()).as(once.err()).isZero();
        Result listed = operator.run("dead-letters", "list", "--json");
        assertThat(listed.exit()).as(listed.err()).isZero();
        List<String> ids = listed.out()
                .lines()
                .map(line -> Json.MAPPER.readTree(line).get("id").asString())
                .toList();
        assertThat(ids).hasSize(2);
        Result replayed = operator.run("dead-letters", "replay", ids.get(0), "--reason", "agreed", "--no-wait");
        assertThat(replayed.exit()).as(replayed.err()).isZero();
        Result discarded = operator.run("dead-letters", "discard", ids.get(1), "--reason", "agreed");
        assertThat(discarded.exit()).as(discarded.err()).isZero();
        for (List<String> look : List.of(List.of("status"), List.of("events"), List.of("events", "show", ids.get(0)))) {
            Result seen = operator.run(look.toArray(String[]::new));
            assertThat(seen.exit()).as(seen.err()).isZero();
        }
        assertThat(append(operator).exit()).isEqualTo(3);
    }

    /** Creates a role with the grants that the page and the program list for this role. */
    private String roleLike(String documented) throws IOException, SQLException {
        String role = documented + "_" + System.nanoTime();
        List<String> grants = owner.run("schema", "print", "--grants", "--engine", engine.label())
                .out()
                .lines()
                .filter(line -> line.endsWith(" TO " + documented + ";"))
                .toList();
        assertThat(grants).isNotEmpty();
        assertThat(Files.readAllLines(Path.of("../docs/tables.md"))).containsAll(grants);
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
