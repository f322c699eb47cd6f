package io.waybill.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.Event;
import io.waybill.jdbc.internal.journal.JournalDeadLetters;
import io.waybill.jdbc.internal.lane.Heartbeat;
import io.waybill.jdbc.internal.lane.LaneTable;
import io.waybill.jdbc.internal.queue.Claims;
import io.waybill.jdbc.internal.queue.QueueDeadLetters;
import io.waybill.jdbc.internal.queue.QueueStore;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.Transactions;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.RelayReport;
import io.waybill.testkit.store.StoreBackend.Writer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A process that is frozen inside a transaction holds its locks and sends no more statements. The database ends the transaction,
 * another relay acquires the lane, and heartbeats of other relays do not wait for it in the meantime.
 */
class FrozenClientTest {
    private static final Duration LEASE = Duration.ofSeconds(4);
    private static final String KEY = "k27";
    private static final int LANE = 5; // the lane of the key, by md5 and by crc32

    @ParameterizedTest
    @CsvSource({
        "journal, TAKING",
        "journal, OPERATING",
        "journal, BEATING",
        "queue, TAKING",
        "queue, OPERATING",
        "queue, BEATING",
        "mariadb, TAKING",
        "mariadb, OPERATING",
        "mariadb, BEATING",
        "mariadb, CLAIMING",
        "mysql, TAKING",
        "mysql, OPERATING",
        "mysql, BEATING",
        "mysql, CLAIMING"
    })
    @Execution(ExecutionMode.CONCURRENT) // each case waits for a lease to expire
    void theLaneOfAFrozenClientIsTakenOverAndHeartbeatsContinue(String store, String doing) throws Exception {
        try (JdbcBackend backend = open(store)) {
            Engine engine = store.equals("journal") ? Engine.JOURNAL : Engine.QUEUE;
            Event event = Event.of("t", "A", KEY, "1");
            try (Writer writer = backend.begin()) {
                writer.append(event);
                writer.commit();
            }
            backend.store().heartbeat(new RelayReport("frozen", "here", "test", 0, 0), LEASE);
            Lease lease = backend.store().acquire("frozen", LANE, LEASE).orElseThrow();
            if (doing.equals("TAKING")) {
                backend.store().release(lease);
            }
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch end = new CountDownLatch(1);
            Thread frozen = new Thread(() -> {
                Transactions database = new Transactions(backend.dataSource()).forStore();
                Transactions.Work<Object> work = connection -> {
                    act(doing, connection, engine, lease, event);
                    inside.countDown();
                    waitFor(end);
                    return lease;
                };
                try {
                    if (doing.equals("CLAIMING")) {
                        database.claimTransaction(() -> doing, LEASE, work);
                    } else {
                        database.transaction(doing, LaneTable.timeout(LEASE), work);
                    }
                } catch (RuntimeException e) {
                    // the database has ended the connection
                }
            });
            frozen.start();
            inside.await();
            try {
                RelayReport next = new RelayReport("next", "here", "test", 0, 0);
                backend.store().heartbeat(next, LEASE);
                await().atMost(Duration.ofMinutes(4)).until(() -> {
                    backend.store().heartbeat(next, LEASE);
                    return backend.store().acquire("next", LANE, LEASE).isPresent();
                });
                Lease taken = new Lease(LANE, "next", lease.fence() + 1);
                assertThat(backend.store().advance(taken, List.of(), 10)).hasSize(1);
            } finally {
                end.countDown();
                frozen.join();
            }
        }
    }

    private static JdbcBackend open(String store) {
        return switch (store) {
            case "journal" -> PostgresBackend.journal();
            case "queue" -> new PostgresBackend();
            case "mariadb" -> MariaDbDatabase.queue();
            default -> MySqlDatabase.queue();
        };
    }

    private static void act(String doing, Connection connection, Engine engine, Lease lease, Event event)
            throws SQLException {
        switch (doing) {
            case "TAKING" ->
                assertThat(LaneTable.acquire(
                                connection,
                                "frozen",
                                LANE,
                                LEASE,
                                engine == Engine.QUEUE ? QueueStore::recover : (c, l) -> {}))
                        .isPresent();
            case "OPERATING" ->
                (engine == Engine.QUEUE ? new QueueDeadLetters() : new JournalDeadLetters())
                        .lock(Sql.on(connection), List.of(event.id()));
            case "BEATING" ->
                Heartbeat.send(connection, new RelayReport("frozen", "here", "test", 0, 0), LEASE, engine, c -> {});
            default -> Claims.verified(connection, List.of(new LaneRequest(lease, List.of(), 10)));
        }
    }

    private static void waitFor(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
