package io.waybill.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.embedded.LocalMySql.Driver;
import io.waybill.server.cli.Waybill.Result;
import io.waybill.testkit.servers.SharedServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The program on databases that are not PostgreSQL: chosen by the address, with the same commands. */
class OtherDatabasesCommandTest {
    @TempDir
    private Path folder;

    private Waybill waybill(String database) {
        String url = database.equals("h2") ? "jdbc:h2:" + folder.resolve("shop") : fresh(database);
        return new Waybill(folder)
                .with("WAYBILL_DATABASE_URL", url)
                .with("WAYBILL_BROKER_URL", SharedServers.kafka().bootstrapServers());
    }

    /** The address of an empty database. For MySQL, it is written for MySQL's driver, which the program does not have. */
    private static String fresh(String server) {
        if (server.equals("mariadb")) {
            return SharedServers.freshMariaDb();
        }
        String name = SharedServers.freshMySql(Driver.MARIADB).replaceFirst(".*/(test_\\d+).*", "$1");
        return SharedServers.mySql().jdbcUrl(Driver.CONNECTOR_J, name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "mysql", "h2"})
    void anEventTravelsAndIsSeenByEveryCommand(String database) {
        Waybill waybill = waybill(database);
        String topic = "others." + UUID.randomUUID();
        assertThat(waybill.run("status").err()).contains("waybill schema apply");
        assertThat(waybill.run("schema", "apply").out()).contains("queue engine");
        assertThat(waybill.run("schema", "check").exit()).isZero();
        Result appended = waybill.run(
                "append",
                "--type",
                "order.placed",
                "--aggregate-type",
                "Order",
                "--key",
                "42",
                "--topic",
                topic,
                "--payload",
                "{\"total\": 10}");
        assertThat(appended.exit()).as(appended.err()).isZero();
        assertThat(waybill.run("status").out()).contains("pending       1 ");
        assertThat(waybill.run("events").out()).contains("order.placed", "PENDING");

        Result relayed = waybill.run("relay", "--once");

        assertThat(relayed.exit()).as(relayed.err()).isZero();
        assertThat(waybill.run("events", "--state", "published").out()).contains("order.placed");
        assertThat(waybill.run("dead-letters", "list").exit()).isZero();
        assertThat(waybill.run("inbox", "schema", "apply").exit()).isZero();
        assertThat(waybill.run("inbox", "status").exit()).isZero();
        Result doctor = waybill.run("doctor");
        assertThat(doctor.exit()).as(doctor.out()).isZero();
        assertThat(doctor.out()).contains("queue engine", "durability", "clock");
    }

    /** H2 would create the file, and a mistyped name would look like an outbox without tables. */
    @ParameterizedTest
    @ValueSource(strings = {"status", "events", "relay --once", "schema check", "inbox status", "inbox schema check"})
    void aMissingFileIsAnErrorAndIsNotCreated(String command) {
        Result refused = waybill("h2").run(command.split(" "));
        assertThat(refused.exit()).isEqualTo(3);
        assertThat(refused.err())
                .contains("no such database", folder.resolve("shop").toString(), "--apply-schema", "--database");
        assertThat(folder).isDirectoryNotContaining("glob:**shop*");
    }

    @ParameterizedTest
    @ValueSource(strings = {"schema apply", "inbox schema apply", "relay --once --apply-schema"})
    void commandsThatCreateTablesCreateTheFile(String command) {
        Result applied = waybill("h2").run(command.split(" "));
        assertThat(applied.exit()).as(applied.err()).isZero();
        assertThat(folder).isDirectoryContaining("glob:**shop*");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "mysql", "h2"})
    void sagasAreShownByEveryCommand(String database) {
        Waybill waybill = waybill(database);
        for (String command : List.of("schema apply", "sagas schema apply", "sagas schema check", "sagas stats")) {
            Result done = waybill.run(command.split(" "));
            assertThat(done.exit()).as(done.err()).isZero();
        }
        assertThat(waybill.run("sagas", "list", "--stuck", "--step", "pay", "--key", "a")
                        .err())
                .contains("No sagas match");
        assertThat(waybill.run("sagas", "prune", "--older-than", "1d").out()).contains("Removed 0 sagas.");
        assertThat(waybill.run("status").out()).contains("0 running, 0 compensating, 0 stuck");
        assertThat(waybill.run("doctor").out())
                .containsPattern("ok    sagas +version 1")
                .doesNotContain("saga operator");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "mysql", "h2"})
    void theJournalRequiresPostgresql(String database) {
        Result refused = waybill(database).run("schema", "apply", "--engine", "journal");
        assertThat(refused.exit()).isEqualTo(2);
        assertThat(refused.err()).contains("journal engine needs PostgreSQL", "queue");
        assertThat(folder).isDirectoryNotContaining("glob:**shop*");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "mysql", "h2"})
    void commandsForPostgresqlOnlyAreUsageErrorsElsewhere(String database) {
        Waybill waybill = waybill(database);
        assertThat(waybill.run("schema", "apply").exit()).isZero();
        for (String command :
                List.of("schema lanes 16", "schema migrate --to journal", "schema check --layout claimed-status")) {
            Result refused = waybill.run(command.split(" "));
            assertThat(refused.exit()).as(refused.err()).isEqualTo(2);
        }
        assertThat(waybill.run("schema", "lanes").out()).contains("8 lanes.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "mysql"})
    void aMissingDatabaseIsNamedWithItsRemedy(String server) {
        String absent = fresh(server).replaceFirst("/test_\\d+", "/absent");
        Result refused = new Waybill(folder).run("status", "--database", absent);
        assertThat(refused.exit()).isEqualTo(3);
        assertThat(refused.err())
                .contains("no such database", "/absent", "CREATE DATABASE absent")
                .doesNotContain("H2", "--apply-schema");
    }

    /** Grants exactly the privileges that doctor and {@code schema print --grants} print. */
    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "mysql"})
    void doctorChecksThePrivilegesOfARelay(String server) throws SQLException {
        String database = fresh(server);
        String role = "relay_" + database.replaceFirst(".*/test_(\\d+).*", "$1");
        Waybill owner = new Waybill(folder)
                .with("WAYBILL_DATABASE_URL", database)
                .with("WAYBILL_BROKER_URL", SharedServers.kafka().bootstrapServers());
        assertThat(owner.run("schema", "apply").exit()).isZero();
        Waybill relay = new Waybill(folder)
                .with("WAYBILL_DATABASE_URL", database)
                .with("WAYBILL_DATABASE_USER", role)
                .with("WAYBILL_DATABASE_PASSWORD", "relays")
                .with("WAYBILL_BROKER_URL", SharedServers.kafka().bootstrapServers());
        execute(
                database,
                "CREATE USER " + role + " IDENTIFIED BY 'relays'",
                "GRANT INSERT ON outbox_events TO " + role,
                "GRANT SELECT ON waybill_schema TO " + role);

        Result doctor = relay.run("doctor");

        assertThat(doctor.exit()).as(doctor.out() + doctor.err()).isEqualTo(3);
        assertThat(doctor.out())
                .contains("FAIL  privileges", "may append events, but lacks privileges that a relay needs")
                .contains("GRANT SELECT, UPDATE, DELETE ON outbox_events TO '" + role + "'@'%';")
                .contains("GRANT SELECT, INSERT, UPDATE, DELETE ON outbox_relays TO");

        String grants =
                owner.run("schema", "print", "--database", server, "--grants").out();
        execute(
                database,
                grants.lines()
                        .filter(line -> line.contains("TO shop_relay;"))
                        .map(line -> line.replace("shop_relay;", role))
                        .toArray(String[]::new));
        Result granted = relay.run("doctor");
        assertThat(granted.exit()).as(granted.out() + granted.err()).isZero();
        assertThat(granted.out())
                .contains("the user has all privileges of a relay", "may not replay or discard dead letters")
                .contains("GRANT INSERT ON outbox_audit TO '" + role + "'@'%';");
        assertThat(relay.run("relay", "--once").exit()).isZero();
        assertThat(owner.run("doctor").out()).doesNotContain("operator");
    }

    @Test
    void aMissingSettingDoesNotHideOtherFindings() {
        Waybill waybill = new Waybill(folder).with("WAYBILL_DATABASE_URL", SharedServers.freshMariaDb());
        Result doctor = waybill.run("doctor");
        assertThat(doctor.out()).contains("tables do not exist", "FAIL  broker", "No broker is configured");
        assertThat(doctor.exit()).isEqualTo(3);
        assertThat(waybill.run("schema", "apply").exit()).isZero();
        assertThat(waybill.run("doctor").exit()).isEqualTo(2);
    }

    /** MySQL refuses to read a password that anybody on the way could read. */
    @Test
    void aPasswordThatNeedsTlsIsExplained() throws SQLException {
        String database = fresh("mysql");
        execute(database, "CREATE USER IF NOT EXISTS waits_for_tls IDENTIFIED BY 'secret'");
        Result refused = new Waybill(folder)
                .with("WAYBILL_DATABASE_URL", database.replaceFirst("\\?.*", ""))
                .with("WAYBILL_DATABASE_USER", "waits_for_tls")
                .with("WAYBILL_DATABASE_PASSWORD", "secret")
                .run("status");
        assertThat(refused.exit()).isEqualTo(3);
        assertThat(refused.err())
                .contains("sslMode=verify-full", "allowPublicKeyRetrieval=true")
                .doesNotContain("serverRsaPublicKeyFile");
    }

    private static void execute(String database, String... statements) throws SQLException {
        try (Connection connection =
                        DriverManager.getConnection(database.replaceFirst("^jdbc:mysql:", "jdbc:mariadb:"));
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    @Test
    void anUnknownDatabaseIsAnErrorThatListsTheKnownOnes() {
        Waybill waybill = new Waybill(folder).with("WAYBILL_DATABASE_URL", "jdbc:oracle:thin:@db/shop");
        assertThat(waybill.run("status").err())
                .contains(
                        "jdbc:oracle:thin:@db/shop",
                        "jdbc:postgresql:",
                        "jdbc:mariadb:",
                        "jdbc:mysql:",
                        "jdbc:h2:",
                        "mongodb:");
        assertThat(new Waybill(folder)
                        .run("schema", "print", "--database", "oracle")
                        .err())
                .contains("Known: postgresql, mariadb, mysql, h2, mongodb");
    }

    @Test
    void theSchemaOfEachDatabaseCanBePrinted() {
        assertThat(new Waybill(folder)
                        .run("schema", "print", "--database", "mariadb")
                        .out())
                .contains("ENGINE = InnoDB", "utf8mb4_nopad_bin");
        assertThat(new Waybill(folder)
                        .run("schema", "print", "--database", "jdbc:mysql://db/shop")
                        .out())
                .contains("utf8mb4_0900_bin", "MySQL 8")
                .doesNotContain("nopad");
        assertThat(new Waybill(folder)
                        .run("schema", "print", "--database", "h2", "--grants")
                        .out())
                .contains("GRANT INSERT ON outbox_events TO shop_service;");
        assertThat(new Waybill(folder)
                        .run("inbox", "schema", "print", "--database", "h2")
                        .out())
                .contains("inbox_held");
    }
}
