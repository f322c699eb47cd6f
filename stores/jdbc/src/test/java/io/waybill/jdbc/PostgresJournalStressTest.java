package io.waybill.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.faults.history.Checker;
import io.waybill.faults.history.Delivered;
import io.waybill.faults.history.History;
import io.waybill.faults.history.HistoryVerdict;
import io.waybill.faults.history.Ledger;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Twelve writers with difficult transactions against three relays. Two naive cursors read the same table for comparison.
 *
 * <p>The test prints its seed. {@code -Dwaybill.stress.seeds=1,2,3} runs it with these seeds. The interleaving of threads still varies.
 */
class PostgresJournalStressTest {
    private static final int WRITERS = 12;
    private static final int KEYS = 50;
    private static final List<List<Integer>> SHARES = List.of(List.of(0, 3, 6), List.of(1, 4, 7), List.of(2, 5));

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final History history = new History();
    private final Queue<Delivered> delivered = new ConcurrentLinkedQueue<>();
    private final Set<UUID> discarded = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean over = new AtomicBoolean();
    private PostgresBackend backend;

    @BeforeEach
    void open() {
        backend = PostgresBackend.journal();
        Ledger.create(backend.dataSource().getJdbcUrl(), KEYS);
    }

    @AfterEach
    void close() throws InterruptedException {
        threads.shutdownNow();
        assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        backend.close();
    }

    static LongStream seeds() {
        String seeds = System.getProperty("waybill.stress.seeds", "");
        return seeds.isBlank()
                ? LongStream.of(new Random().nextInt(1_000_000))
                : Stream.of(seeds.split(",")).mapToLong(Long::parseLong);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void noEventIsLostInventedOrOutOfOrder(long seed) throws Exception {
        Future<List<Delivered>> bySeq = threads.submit(naive("seq", "seq", "0", "true"));
        Future<List<Delivered>> byXid = threads.submit(
                naive("xid, seq", "(xid, seq)", "('0'::xid8, 0)", "xid < pg_snapshot_xmin(pg_current_snapshot())"));
        Future<List<Delivered>> byTime =
                threads.submit(naive("created_at, seq", "(created_at, seq)", "('-infinity', 0)", "true"));

        run(seed, StressMishaps.drawn(new Random(seed)), Duration.ofSeconds(10));

        HistoryVerdict verdict = check("journal", List.copyOf(delivered), deadLetters());
        assertThat(verdict.violations()).as("seed %s", seed).isEmpty();
        assertThat(verdict.committed()).isGreaterThan(500);
        assertThat(backend.view().status().pending()).isZero();
        assertThat(backend.query(
                        "SELECT count(*) FROM outbox_held WHERE next_attempt_at IS NOT NULL AND dead_at IS NULL"))
                .isEqualTo("0");

        assertThat(check("seq > last", bySeq.get(), Set.of()).lost()).isNotEmpty();
        assertThat(check("order by xid", byXid.get(), Set.of()).misordered()).isNotEmpty();
        assertThat(check("order by created_at", byTime.get(), Set.of()).lost()).isNotEmpty();
    }

    /** A seeded bug: the relay crashes before it has recorded a dead letter, and the next relay delivers that event too late. */
    @Test
    void theCheckerDetectsAKeyThatContinuesBeforeItsDeadLetterIsRecorded() throws Exception {
        run(1, StressMishaps.rash(true), Duration.ofSeconds(4));
        assertThat(check("rash relay", List.copyOf(delivered), deadLetters()).misordered())
                .isNotEmpty();
    }

    private void run(long seed, StressMishaps mishaps, Duration writing) throws Exception {
        System.out.println("seed " + seed + ": " + mishaps);
        AtomicBoolean written = new AtomicBoolean();
        AtomicBoolean empty = new AtomicBoolean();
        Supplier<StressMishaps> now = () -> written.get() ? StressMishaps.HEALED : mishaps;
        List<Future<Void>> relays = new ArrayList<>();
        for (int i = 0; i < SHARES.size(); i++) {
            relays.add(threads.submit(new StressRelay(
                    backend, "relay" + i, SHARES.get(i), now, new Random(seed + i), delivered, empty::get)));
        }
        for (int i = 0; i < 2; i++) {
            Random random = new Random(seed + 50 + i);
            relays.add(threads.submit(new StressOperator(backend, random, discarded, empty::get)));
        }
        long until = System.nanoTime() + writing.toNanos();
        List<Future<Void>> writers = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            writers.add(threads.submit(new StressWriter(
                    backend.dataSource().getJdbcUrl(), KEYS, history, until, new Random(seed + 100 + i))));
        }
        for (Future<Void> writer : writers) {
            writer.get(2, TimeUnit.MINUTES);
        }
        written.set(true);
        long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (backend.view().status().pending() > 0
                && System.nanoTime() - patience < 0
                && relays.stream().noneMatch(Future::isDone)) {
            LockSupport.parkNanos(20_000_000);
        }
        empty.set(true);
        for (Future<Void> relay : relays) {
            relay.get(1, TimeUnit.MINUTES);
        }
        over.set(true);
    }

    private Set<UUID> deadLetters() {
        Set<UUID> dead = new HashSet<>(discarded);
        backend.query("SELECT id FROM outbox_held WHERE dead_at IS NOT NULL")
                .lines()
                .forEach(id -> dead.add(UUID.fromString(id)));
        return dead;
    }

    private HistoryVerdict check(String what, List<Delivered> delivered, Set<UUID> dead) {
        HistoryVerdict verdict = Checker.check(
                history.attempts(), Ledger.committed(backend.dataSource().getJdbcUrl()), delivered, dead);
        System.out.println(what + ": " + verdict.numbers());
        return verdict;
    }

    /** A cursor that reads the table in one order, until all other threads have ended and no more events are found. */
    private Callable<List<Delivered>> naive(String order, String cursor, String start, String condition) {
        return () -> {
            List<Delivered> delivered = new ArrayList<>();
            String last = start;
            try (Connection connection = backend.dataSource().getConnection();
                    Statement statement = connection.createStatement()) {
                while (true) {
                    boolean ended = over.get();
                    String next = read(statement, order, cursor, last, condition, delivered);
                    if (next.equals(last) && ended) {
                        return delivered;
                    }
                    last = next;
                    LockSupport.parkNanos(2_000_000);
                }
            }
        };
    }

    private static String read(
            Statement statement, String order, String cursor, String last, String condition, List<Delivered> delivered)
            throws SQLException {
        String next = last;
        try (ResultSet row = statement.executeQuery("SELECT id, aggregate_id, payload, xid, seq, created_at FROM"
                + " outbox_events WHERE " + cursor + " > " + last + " AND " + condition + " ORDER BY " + order
                + " LIMIT 500")) {
            while (row.next()) {
                delivered.add(
                        new Delivered(row.getObject(1, UUID.class), row.getString(2), row.getString(3), Map.of()));
                next = switch (cursor) {
                    case "seq" -> row.getString(5);
                    case "(xid, seq)" -> "('" + row.getString(4) + "'::xid8, " + row.getString(5) + ")";
                    default -> "('" + row.getString(6) + "', " + row.getString(5) + ")";
                };
            }
        }
        return next;
    }
}
