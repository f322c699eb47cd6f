package io.waybill.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.embedded.LocalPostgres;
import io.waybill.store.Outcome;
import io.waybill.store.StoreException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;

/** What takes a server of its own: a dump restored into it, prepared transactions. */
class JournalClusterTest extends JournalLane {
    /** All that holds something of value; leases and the roll of relays need no dump. */
    private static final List<String> DUMPED = List.of("outbox_events", "outbox_cursors", "outbox_held");

    @TempDir
    private static Path folder;

    private static LocalPostgres other;

    @BeforeAll
    static void startTheOther() {
        other = LocalPostgres.builder(folder)
                .setting("max_prepared_transactions", "5")
                .start();
    }

    @AfterAll
    static void stopTheOther() {
        other.close();
    }

    /** Goes on with a fresh database of the other server. */
    private void move(String database) throws SQLException {
        backend.close();
        onTheOther("postgres", "CREATE DATABASE " + database);
        backend = PostgresBackend.journal(other.jdbcUrl(database));
        store = backend.store();
        lease = take("r");
    }

    private static void onTheOther(String database, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(other.jdbcUrl(database))) {
            execute(connection, sql);
        }
    }

    @Test
    void aDumpRestoredIntoAnotherClusterGoesOnAfterARebase() throws Exception {
        String a = key("a");
        String b = key("b");
        append(b, "b1", "b2");
        append(a, "a1", "a2", "a3");
        List<Outcome> outcomes =
                outcomes(claim(4), c -> switch (payloads(List.of(c)).get(0)) {
                    case "b1" -> new Outcome.Retry(c, Duration.ZERO, "no", true);
                    case "b2" -> new Outcome.Parked(c);
                    default -> new Outcome.Published(c);
                });
        store.advance(lease, outcomes, 0);
        // the other cluster has not come so far with its numbers
        backend.execute("CREATE TABLE numbers (n int)");
        backend.execute("DO $$ BEGIN FOR i IN 1..20000 LOOP BEGIN INSERT INTO numbers VALUES (i);"
                + " EXCEPTION WHEN division_by_zero THEN NULL; END; END LOOP; END $$");
        append(b, "b3");
        append(a, "a4");
        assertThat(payloads(claim(1))).hasSize(1); // in flight when the dump is taken
        String sequence = backend.query("SELECT last_value FROM outbox_events_seq_seq");
        Map<String, byte[]> dump = dump();

        move("restored");
        restore(dump);
        backend.query("SELECT setval('outbox_events_seq_seq', " + sequence + ")");
        append(a, "a5"); // a service is up before anybody thinks of the relay
        assertThat(store.ready(List.of(LANE))).containsExactly(LANE);
        assertThatThrownBy(() -> claim(10)).isInstanceOf(StoreException.class).hasMessageContaining("rebase");

        assertThat(OutboxSchema.rebase(backend.dataSource())).isEqualTo(4);
        lease = take("r2");
        append(a, "a6");
        assertThat(drain())
                .containsSubsequence("b1", "b2", "b3")
                .containsSubsequence("a3", "a4", "a5", "a6")
                .hasSize(7);
        assertThat(backend.view().status().pending()).isZero();
    }

    /** In one snapshot, as pg_dump takes it. */
    private Map<String, byte[]> dump() throws Exception {
        Map<String, byte[]> dump = new LinkedHashMap<>();
        try (Connection connection = begin()) {
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            for (String table : DUMPED) {
                ByteArrayOutputStream rows = new ByteArrayOutputStream();
                connection.unwrap(PGConnection.class).getCopyAPI().copyOut("COPY " + table + " TO STDOUT", rows);
                dump.put(table, rows.toByteArray());
            }
            connection.rollback();
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        }
        return dump;
    }

    private void restore(Map<String, byte[]> dump) throws Exception {
        try (Connection connection = begin()) {
            execute(connection, "DELETE FROM outbox_cursors");
            execute(connection, "ALTER TABLE outbox_events DISABLE TRIGGER ALL"); // as pg_restore --disable-triggers does
            for (Map.Entry<String, byte[]> table : dump.entrySet()) {
                connection
                        .unwrap(PGConnection.class)
                        .getCopyAPI()
                        .copyIn("COPY " + table.getKey() + " FROM STDIN", new ByteArrayInputStream(table.getValue()));
            }
            execute(connection, "ALTER TABLE outbox_events ENABLE TRIGGER ALL");
            execute(connection, "ALTER TABLE outbox_events ENABLE REPLICA TRIGGER outbox_events_replicated");
            connection.commit();
        }
    }

    @Test
    void aPreparedTransactionIsWaitedForThroughARestart() throws SQLException {
        move("prepared");
        String a = key("a");
        String b = key("b");
        for (String name : List.of("kept", "dropped")) {
            try (Connection connection = begin()) {
                execute(connection, insert(a, name));
                execute(connection, "PREPARE TRANSACTION '" + name + "'");
            }
        }
        append(b, "1", "2");
        assertThat(drain()).containsExactly("1", "2");
        backend.close();
        other.kill();
        other.restart();
        backend = PostgresBackend.journal(other.jdbcUrl("prepared"));
        store = backend.store();
        lease = takeFromTheDead("r2");
        append(b, "3");
        assertThat(drain()).containsExactly("3");
        backend.execute("ROLLBACK PREPARED 'dropped'");
        backend.execute("COMMIT PREPARED 'kept'");
        assertThat(store.ready(List.of(LANE))).containsExactly(LANE);
        assertThat(drain()).containsExactly("kept");
    }
}
