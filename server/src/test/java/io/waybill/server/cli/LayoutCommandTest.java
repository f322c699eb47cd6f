package io.waybill.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.jdbc.layout.Layout;
import io.waybill.server.cli.Waybill.Result;
import io.waybill.testkit.servers.SharedServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An existing table, from the first check to the first published event. */
class LayoutCommandTest {
    private static final String SAGA = """
            CREATE TABLE saga_outbox (
                event_id uuid PRIMARY KEY, aggregate_type text, aggregate_id text, event_type text, payload jsonb, headers jsonb,
                status text DEFAULT 'pending', created_at timestamptz DEFAULT now(), claimed_at timestamptz, sent_at timestamptz,
                retry_count int DEFAULT 0, last_error text, worker_id text)""";

    private static final String MENDED = """
            ALTER TABLE saga_outbox ADD COLUMN waybill_seq bigint GENERATED ALWAYS AS IDENTITY (CACHE 1);
            CREATE INDEX ON saga_outbox (waybill_seq, created_at, event_id) WHERE status IN ('pending', 'claimed', 'failed')""";

    private static final String INSERT =
            "INSERT INTO saga_outbox (event_id, aggregate_type, aggregate_id, event_type, payload)"
                    + " SELECT gen_random_uuid(), 'Order', n::text, 'layout-command-test', '{}' FROM generate_series(1, 3) n";

    @TempDir
    private Path folder;

    private final String database = SharedServers.freshDatabase();

    private Waybill waybill() {
        return new Waybill(folder)
                .with("WAYBILL_DATABASE_URL", database)
                .with("WAYBILL_BROKER_URL", SharedServers.kafka().bootstrapServers());
    }

    @Test
    void layoutsAreListedAndShownWithoutADatabase() {
        assertThat(new Waybill(folder).run("layout", "list").out())
                .contains(Layout.names())
                .contains("claimed-status", "public.saga_outbox", "the saga library");
        assertThat(new Waybill(folder).run("layout", "show", "debezium").out())
                .contains("header.id = id", "outbox.event.");
        Result unknown = new Waybill(folder).run("layout", "show", "claimed");
        assertThat(unknown.exit()).isEqualTo(2);
        assertThat(unknown.err()).contains("no layout 'claimed'").contains(Layout.names());
    }

    @Test
    void aTableIsCheckedImprovedAndServed() throws Exception {
        Result missing = waybill().run("layout", "check", "claimed-status");
        assertThat(missing.exit()).isEqualTo(2);
        assertThat(missing.out()).contains("There is no table public.saga_outbox");

        execute(SAGA + ";" + INSERT);
        Result dear = waybill().run("layout", "check", "claimed-status");
        assertThat(dear.exit()).as(dear.out() + dear.err()).isEqualTo(1);
        assertThat(dear.out())
                .contains("tried on one row")
                .contains("when its transaction began", "ADD COLUMN waybill_seq")
                .contains(
                        "reads the whole table",
                        "CREATE INDEX CONCURRENTLY ON public.saga_outbox (created_at, event_id)")
                .contains("index of event_id: there is one, unique");
        assertThat(number("SELECT count(*) FROM saga_outbox WHERE status = 'pending' AND worker_id IS NULL"))
                .as("a check changes nothing")
                .isEqualTo(3);

        execute(MENDED);
        Result fine = waybill().run("layout", "check", "--layout", "claimed-status", "--json");
        assertThat(fine.exit()).as(fine.out() + fine.err()).isZero();
        assertThat(fine.out()).contains("\"verdict\":\"fine\"").doesNotContain("\"costs\"");

        serving().run("schema", "apply");
        assertThat(serving().run("status", "--json").out())
                .as("a table without a relay does not look empty")
                .contains("\"pending\":3");
        Result relayed = serving().run("relay", "--once");
        assertThat(relayed.out()).as(relayed.err()).contains("Published 3 events.");
        assertThat(number("SELECT count(*) FROM saga_outbox WHERE status = 'sent' AND sent_at IS NOT NULL"))
                .isEqualTo(3);
        assertThat(number("SELECT count(*) FROM waybill.outbox_events")).isZero();
        assertThat(serving().run("status", "--json").out()).contains("\"pending\":0");
        assertThat(serving().run("schema", "check").out()).contains("queue engine");
        assertThat(serving().run("doctor").out()).contains("queue engine for public.saga_outbox");
    }

    private Waybill serving() {
        return waybill().with("WAYBILL_LAYOUT", "claimed-status");
    }

    @Test
    void missingColumnsAndIndexesAreReportedWithTheirCost() throws Exception {
        execute("""
                CREATE TABLE saga_outbox (event_id uuid, aggregate_type text, aggregate_id text, event_type text, payload json,
                    status text CHECK (status IN ('pending', 'claimed', 'sent', 'failed', 'dead_letter')), created_at timestamptz,
                    sent_at timestamptz)""");
        Result check = waybill().run("layout", "check", "claimed-status");
        assertThat(check.exit()).isEqualTo(1);
        assertThat(check.out())
                .contains(
                        "no column last_error: only `waybill events` and `waybill dead-letters` show why a row failed")
                .contains("no column retry_count: only `waybill events` shows how often")
                .contains("no column worker_id")
                .contains("not tried on a row, because no row waits")
                .contains("index of event_id: There is none: every batch that is settled reads the whole table")
                .contains("as exact as the clocks");
        execute("ALTER TABLE saga_outbox DROP COLUMN payload, DROP COLUMN status");
        assertThat(waybill().run("layout", "check", "claimed-status").out())
                .contains("REFUSED  column payload", "REFUSED  column status");
    }

    @Test
    void anUnservableTableIsRejectedBeforeEventsAreSent() throws Exception {
        execute(SAGA + "; " + INSERT + "; ALTER TABLE saga_outbox ADD CHECK (status <> 'sent')");
        Result check = waybill().run("layout", "check", "claimed-status");
        assertThat(check.exit()).isEqualTo(2);
        assertThat(check.out()).contains("REFUSED  statements", "violates check constraint");
        Result relay = serving().run("relay", "--once", "--apply-schema");
        assertThat(relay.exit()).isEqualTo(3);
        assertThat(relay.err()).contains("violates check constraint");

        Files.writeString(
                folder.resolve("mine.properties"),
                waybill()
                        .run("layout", "show", "claimed-status")
                        .out()
                        .replace("success.status   = 'sent'", "success.status = 'failed'"));
        assertThat(waybill().run("layout", "check", "mine.properties").out())
                .contains("A row still waits after success was written");
    }

    @Test
    void missingPrivilegesOfAUserAreReported() throws Exception {
        String role = "layout_reader_" + database.replaceAll("\\D", "");
        execute(SAGA + "; CREATE ROLE " + role + " LOGIN; GRANT SELECT ON saga_outbox TO " + role
                + "; ALTER TABLE saga_outbox ENABLE ROW LEVEL SECURITY");
        Result check = waybill().with("WAYBILL_DATABASE_USER", role).run("layout", "check", "claimed-status");
        assertThat(check.exit()).as(check.out() + check.err()).isEqualTo(2);
        assertThat(check.out())
                .contains("GRANT UPDATE ON public.saga_outbox TO " + role)
                .contains("Policies hide rows", "BYPASSRLS");
    }

    /** A role with exactly the printed grants can relay; without them, the missing grants are reported. */
    @Test
    void thePrintedGrantsAreSufficientForARelay() throws Exception {
        String role = "layout_relay_" + database.replaceAll("\\D", "");
        execute(SAGA + ";" + INSERT + "; CREATE ROLE " + role + " LOGIN");
        serving().run("schema", "apply");
        execute("GRANT USAGE ON SCHEMA waybill TO " + role + "; GRANT SELECT, UPDATE ON saga_outbox TO " + role);
        Waybill relay = serving().with("WAYBILL_DATABASE_USER", role);
        assertThat(relay.run("layout", "check").out())
                .contains("REFUSED  own tables", "GRANT INSERT ON outbox_events TO " + role);
        String grants = waybill()
                .run("schema", "print", "--layout", "claimed-status", "--grants")
                .out();
        execute("SET search_path = waybill; " + grants.replace("shop_relay", role));
        Result relayed = relay.run("relay", "--once");
        assertThat(relayed.out()).as(relayed.err()).contains("Published 3 events.");
    }

    @Test
    void debeziumsTableNeedsAnOrder() throws Exception {
        execute(
                "CREATE TABLE outbox (id uuid PRIMARY KEY, aggregatetype text, aggregateid text, type text, payload jsonb)");
        Result check = waybill().run("layout", "check", "debezium");
        assertThat(check.exit()).isEqualTo(2);
        assertThat(check.out()).contains("no other column gives the order of its rows", "ADD COLUMN waybill_seq");
    }

    @Test
    void contradictorySettingsAreRejected() throws IOException {
        assertThat(serving().run("relay", "--once", "--engine", "journal").err())
                .contains("served by the queue engine");
        assertThat(serving()
                        .run("append", "--type", "a", "--aggregate-type", "b", "--key", "c")
                        .err())
                .contains("serves public.saga_outbox", "as its writers do");
        assertThat(serving().run("up", "--demo").err()).contains("--demo writes into Waybill's own outbox");
        Result mariaDb = serving().run("status", "--database", "jdbc:h2:mem:layouts");
        assertThat(mariaDb.exit()).isEqualTo(2);
        assertThat(mariaDb.err()).contains("Layouts serve tables in PostgreSQL, and this is H2");
        assertThat(waybill()
                        .run("layout", "check", "claimed-status", "--database", "jdbc:h2:mem:layouts")
                        .exit())
                .isEqualTo(2);
        assertThat(waybill()
                        .run("schema", "print", "--layout", "claimed-status", "--database", "h2")
                        .err())
                .contains("Layouts serve tables in PostgreSQL");
        Files.writeString(folder.resolve("bad.properties"), "table = a\nstatus = b\n");
        assertThat(waybill().run("status", "--layout", "bad.properties").err())
                .contains("bad.properties line 2 has an unknown key 'status'");
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
