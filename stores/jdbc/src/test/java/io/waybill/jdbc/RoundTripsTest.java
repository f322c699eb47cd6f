package io.waybill.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.embedded.LocalServer;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.OutboxStore;
import io.waybill.store.PublishOutcome;
import io.waybill.testkit.network.TcpProxy;
import io.waybill.testkit.servers.SharedServers;
import io.waybill.testkit.store.StoreBackend.Writer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * How often a relay waits for its database between two batches. That is most of what an event waits for when it comes alone, and
 * nothing else shows that there is one more.
 */
class RoundTripsTest {
    private static final Duration LEASE = Duration.ofMinutes(1);

    private static final int LANES = 8;
    private static final int KEYS = 4;

    /** Drivers prepare a statement when they have seen it a few times, some in a message of its own. */
    private static final int FAMILIAR = 10;

    /** Locks, snapshot and events; cursors and commit. */
    @Test
    void theJournalSettlesAndClaimsInTwo() throws SQLException {
        try (JdbcBackend backend = PostgresBackend.journal()) {
            assertThat(turn(
                            backend,
                            SharedServers.postgres(),
                            same -> PostgresJournal.on(same).store()))
                    .isEqualTo(2);
        }
    }

    /** Fences, outcomes and events; claims and commit. */
    @Test
    void soDoesTheQueueOnPostgres() throws SQLException {
        try (JdbcBackend backend = new PostgresBackend()) {
            assertThat(turn(backend, SharedServers.postgres(), RoundTripsTest::queue))
                    .isEqualTo(2);
        }
    }

    /** Fences; outcomes; events; claims; commit. MySQL gets the limit of silence before them and loses it after them. */
    @ParameterizedTest
    @CsvSource({"MARIADB, 5", "MYSQL, 7"})
    void onInnoDbItTakesMore(InnoDb database, int expected) throws SQLException {
        try (JdbcBackend backend = JdbcBackend.queue(database.freshForMariaDbDriver())) {
            assertThat(turn(backend, database.server(), RoundTripsTest::queue)).isEqualTo(expected);
        }
    }

    private static OutboxStore queue(DataSource dataSource) {
        return JdbcQueue.on(dataSource).store();
    }

    /** The round trips of a transaction that settles some events in eight lanes and claims the next ones. */
    private static int turn(JdbcBackend backend, LocalServer server, Function<DataSource, OutboxStore> engine)
            throws SQLException {
        String url = backend.dataSource().getJdbcUrl();
        try (TcpProxy proxy = TcpProxy.to(server.port());
                Connection connection =
                        DriverManager.getConnection(url.replace(":" + server.port() + "/", ":" + proxy.port() + "/"))) {
            // as the program's pool has them: MariaDB is told in messages of their own
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            if (server == SharedServers.mariaDb()) {
                Sql.on(connection).update("SET SESSION idle_transaction_timeout = 10");
            }
            OutboxStore store = engine.apply(OneConnection.of(connection));
            List<Lease> lanes = new ArrayList<>();
            List<List<ClaimedEvent>> claims = new ArrayList<>();
            for (int lane = 0; lane < LANES; lane++) {
                lanes.add(store.acquire("r", lane, LEASE).orElseThrow());
                claims.add(List.of());
            }
            int spent = 0;
            for (int i = 0; i < FAMILIAR; i++) {
                append(backend);
                List<LaneRequest> turns = new ArrayList<>();
                for (int lane = 0; lane < LANES; lane++) {
                    List<PublishOutcome> sent = claims.get(lane).stream()
                            .<PublishOutcome>map(PublishOutcome.Published::new)
                            .toList();
                    turns.add(new LaneRequest(lanes.get(lane), sent, 10));
                }
                int before = proxy.requests();
                claims = store.advance(turns);
                spent = proxy.requests() - before;
                assertThat(claims.stream().mapToInt(List::size).sum()).isEqualTo(KEYS);
            }
            return spent;
        }
    }

    private static void append(JdbcBackend backend) {
        try (Writer writer = backend.begin()) {
            for (int key = 0; key < KEYS; key++) {
                writer.append(Event.of("t", "A", "k" + key, "1"));
            }
            writer.commit();
        }
    }
}
