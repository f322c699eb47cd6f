package io.waybill.jdbc.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.waybill.embedded.LocalPostgres;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.jdbc.PostgresBackend;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.store.PublishOutcome;
import io.waybill.store.StoreException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;

/** Tests that need a server of their own: restored dumps, logical replication, prepared transactions, crashes. */
class JournalClusterTest extends JournalLane {
    /** The tables to dump; leases and relays need no dump. */
    private static final List<String> DUMPED = List.of("outbox_events", "outbox_cursors", "outbox_held");

    @TempDir
    private static Path folder;

    private static LocalPostgres other;

    @BeforeAll
    static void startTheOther() {
        other = LocalPostgres.builder(folder)
                .setting("max_prepared_transactions", "5")
                .setting("wal_level", "logical")
                .start();
    }

    @AfterAll
    static void stopTheOther() {
        other.close();
    }

    /** Continues with a fresh database of the other server. */
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
    void aDumpRestoredIntoAnotherClusterContinuesAfterARebase() throws Exception {
        String a = key("a");
        String b = key("b");
        // the transaction numbers of the other cluster are lower
        backend.execute("CREATE TABLE numbers (n int)");
        backend.execute("DO $$ BEGIN FOR i IN 1..20000 LOOP BEGIN INSERT INTO numbers VALUES (i);"
                + " EXCEPTION WHEN division_by_zero THEN NULL; END; END LOOP; END $$");
        append(b, "b1", "b2");
        append(a, "a1", "a2", "a3");
        List<PublishOutcome> outcomes =
                outcomes(claim(4), c -> switch (payloads(List.of(c)).get(0)) {
                    case "b1" -> new PublishOutcome.Retry(c, Duration.ZERO, "no", true);
                    case "b2" -> new PublishOutcome.Parked(c);
                    default -> new PublishOutcome.Published(c);
                });
        store.advance(lease, outcomes, 0);
        append(b, "b3");
        append(a, "a4");
        assertThat(payloads(claim(1))).hasSize(1); // in flight when the dump is taken
        String sequence = backend.query("SELECT last_value FROM outbox_events_seq_seq");
        Map<String, byte[]> dump = dump();

        move("restored");
        restore(dump);
        backend.query("SELECT setval('outbox_events_seq_seq', " + sequence + ")");
        append(a, "a5"); // a service writes before the relay is started
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

    /** Dumps all tables in one snapshot, as pg_dump does. */
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
            execute(
                    connection,
                    "ALTER TABLE outbox_events DISABLE TRIGGER ALL"); // as pg_restore --disable-triggers does
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
    void aPreparedTransactionIsDeliveredAfterARestart() throws SQLException {
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

    /** Replicated events carry transaction numbers of the other cluster, and the sequence is not replicated. */
    @Test
    void replicatedEventsStopRelaysUntilARebase() throws SQLException {
        String a = key("a");
        onTheOther("postgres", "CREATE DATABASE blue");
        try (PostgresBackend blue = PostgresBackend.journal(other.jdbcUrl("blue"))) {
            blue.execute("CREATE PUBLICATION events FOR TABLE outbox_events");
            for (int i = 1; i <= 3; i++) {
                blue.execute(insert(a, "blue" + i));
            }
            backend.execute("CREATE SUBSCRIPTION from_blue CONNECTION 'host=127.0.0.1 port=" + other.port()
                    + " dbname=blue user=postgres' PUBLICATION events");
            try {
                await().atMost(Duration.ofMinutes(4))
                        .until(() -> backend.query("SELECT count(*) FROM outbox_events")
                                .equals("3"));
                blue.execute(insert(a, "blue4"));
                await().atMost(Duration.ofMinutes(4))
                        .until(() -> backend.query("SELECT count(*) FROM outbox_events")
                                .equals("4"));
            } finally {
                backend.execute("DROP SUBSCRIPTION from_blue");
            }
        }
        append(a, "green1", "green2");
        assertThatThrownBy(() -> claim(10)).hasMessageContainingAll("Logical replication", "waybill schema rebase");
        assertThatThrownBy(() -> take("another")).hasMessageContaining("waybill schema rebase");
        assertThat(OutboxSchema.needsRebase(backend.dataSource())).isTrue();

        assertThat(OutboxSchema.rebase(backend.dataSource())).isEqualTo(6);
        lease = takeFromTheDead("r2");
        append(a, "green3");
        assertThat(drain()).containsExactly("blue1", "blue2", "blue3", "blue4", "green1", "green2", "green3");
    }

    /**
     * A transaction number that was assigned and never reached the WAL is assigned again after a crash. Numbers below that of a
     * committed claim are not, because the claim is in the WAL. Hence no cursor lists a number that is assigned a second time.
     */
    @Test
    void transactionNumbersThatAreReusedAfterACrashAreHarmless() throws SQLException {
        move("reused");
        String a = key("a");
        List<String> expected = new ArrayList<>();
        List<String> published = new ArrayList<>();
        int reused = 0;
        for (int round = 0; round < 3; round++) {
            Set<String> held = new HashSet<>();
            held.add(holdNumber());
            execute(begin(), insert(a, "ghost"));
            append(a, "before" + round);
            published.addAll(drain());
            for (int i = 0; i < 3; i++) {
                held.add(holdNumber());
            }
            execute(begin(), insert(a, "ghost"));
            other.kill();
            backend.close();
            other.restart();
            backend = PostgresBackend.journal(other.jdbcUrl("reused"));
            store = backend.store();
            append(a, "after" + round); // before the lease is acquired, so that this transaction gets the next number
            String number =
                    backend.query("SELECT xid FROM outbox_events WHERE payload::text = '\"after" + round + "\"'");
            reused += held.contains(number) ? 1 : 0;
            lease = takeFromTheDead("r" + round);
            published.addAll(drain());
            expected.addAll(List.of("before" + round, "after" + round));
        }
        assertThat(reused).as("numbers that were assigned again").isPositive();
        assertThat(published).containsExactlyElementsOf(expected);
        assertThat(backend.view().status().pending()).isZero();
        assertThat(OutboxSchema.relayProblems(backend.dataSource(), Engine.JOURNAL))
                .isEmpty();
    }

    /** Returns the number of a transaction that stays open and writes nothing. */
    private String holdNumber() throws SQLException {
        return Sql.on(begin()).query("SELECT pg_current_xact_id()", row -> row.next() ? row.getString(1) : "");
    }
}
