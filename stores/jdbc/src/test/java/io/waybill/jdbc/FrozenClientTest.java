package io.waybill.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.Event;
import io.waybill.jdbc.internal.journal.HeldEventRepair;
import io.waybill.jdbc.internal.lane.LaneTable;
import io.waybill.jdbc.internal.queue.Claims;
import io.waybill.jdbc.internal.queue.DeadLetterRepair;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A process that is stopped in the middle of a transaction holds its locks and says nothing any more. The database ends the
 * transaction, another relay takes the lane, and no heartbeat waits for it meanwhile.
 */
class FrozenClientTest {
    private static final Duration LEASE = Duration.ofSeconds(4);
    private static final int LANE = 4; // of key k

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
        "mariadb, CLAIMING"
    })
    void itsLaneIsTakenAndHeartbeatsGoOn(String store, String doing) throws Exception {
        try (JdbcBackend backend = open(store)) {
            Engine engine = store.equals("journal") ? Engine.JOURNAL : Engine.QUEUE;
            Event event = Event.of("t", "A", "k", "1");
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
                Transactions database = new Transactions(backend.dataSource()).ofStore();
                Transactions.Work<Object> work = connection -> {
                    act(doing, connection, engine, lease, event);
                    inside.countDown();
                    waitFor(end);
                    return lease;
                };
                try {
                    if (doing.equals("CLAIMING")) {
                        database.claiming(() -> doing, LEASE, work);
                    } else {
                        database.transaction(doing, LaneTable.patience(LEASE), work);
                    }
                } catch (RuntimeException e) {
                    // it has lost its connection
                }
            });
            frozen.start();
            inside.await();
            try {
                RelayReport next = new RelayReport("next", "here", "test", 0, 0);
                backend.store().heartbeat(next, LEASE);
                await().atMost(Duration.ofSeconds(60)).until(() -> {
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
            default -> MariaDbDatabase.queue();
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
                (engine == Engine.QUEUE ? new DeadLetterRepair() : new HeldEventRepair())
                        .lock(Sql.on(connection), List.of(event.id()));
            case "BEATING" ->
                LaneTable.heartbeat(
                        connection, new RelayReport("frozen", "here", "test", 0, 0), LEASE, engine, c -> {});
            default -> Claims.under(connection, List.of(new LaneRequest(lease, List.of(), 10)));
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
