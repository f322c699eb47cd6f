package io.waybill.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.jdbc.internal.lane.LaneTable;
import io.waybill.jdbc.internal.queue.Claims;
import io.waybill.jdbc.internal.queue.QueueStore;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.layout.Layout;
import io.waybill.jdbc.layout.LayoutSchema;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.FencedException;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.RelayReport;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The tables as a contract with services in other languages, and the locks of the queue engine, on databases other than PostgreSQL. */
@ParameterizedClass
@EnumSource
class OtherDatabasesTest {
    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final String INSERT =
            "INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload) VALUES ";

    /** The databases of the test. */
    enum Place {
        MARIADB(MariaDbDatabase::queue, "0 7 2 4 5"),
        MYSQL(MySqlDatabase::queue, "0 7 2 4 5"),
        H2(() -> JdbcBackend.queue(H2Database.fresh()), "1 6 3 1 2");

        @SuppressWarnings("ImmutableEnumChecker") // a factory
        private final Supplier<JdbcBackend> open;

        private final String lanes;

        Place(Supplier<JdbcBackend> open, String lanes) {
            this.open = open;
            this.lanes = lanes;
        }
    }

    private final Place place;
    private JdbcBackend backend;

    OtherDatabasesTest(Place place) {
        this.place = place;
    }

    @BeforeEach
    void open() {
        backend = place.open.get();
    }

    @AfterEach
    void close() {
        backend.close();
    }

    private List<Lease> lanes(String relay) {
        backend.store().heartbeat(new RelayReport(relay, "here", "test", 0, 0), LEASE);
        return IntStream.range(0, 8)
                .mapToObj(lane -> backend.store().acquire(relay, lane, LEASE))
                .flatMap(Optional::stream)
                .toList();
    }

    private List<ClaimedEvent> claim(List<Lease> lanes) {
        List<ClaimedEvent> claims = new ArrayList<>();
        lanes.forEach(lease -> claims.addAll(backend.store().advance(lease, List.of(), 10)));
        return claims;
    }

    @Test
    void fourColumnsAreEnoughForAWriterInSql() {
        backend.execute(INSERT + "('Order', '42', 'order.placed', '{\"total\": 10}')");

        ClaimedEvent claimed = claim(lanes("r")).get(0);

        assertThat(claimed.event().payload()).isEqualTo("{\"total\": 10}");
        assertThat(claimed.event().version()).isEqualTo(1);
        assertThat(claimed.event().headers()).isEmpty();
    }

    /** Two lanes for one key would break its order, so a lane must never change. */
    @Test
    void aKeyHasTheSameLaneInEveryVersion() {
        try (Connection connection = backend.dataSource().getConnection()) {
            for (String key : List.of("42", "order-1", "ключ", "🚚", " ")) {
                Sql.on(connection).update(INSERT + "('A', ?, 't', '1')", key);
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        assertThat(backend.query("SELECT lane FROM outbox_events ORDER BY seq").replace('\n', ' '))
                .isEqualTo(place.lanes);
    }

    @Test
    void keysThatDifferInCaseOrBlanksAreDifferentKeys() {
        backend.execute(
                INSERT + "('A', 'k', 't', '1'), ('A', 'K', 't', '2'), ('A', 'k ', 't', '3'), ('A', 'ḱ', 't', '4')");
        assertThat(backend.query("SELECT count(DISTINCT aggregate_id) FROM outbox_events"))
                .isEqualTo("4");
        assertThat(backend.query("SELECT count(*) FROM outbox_events WHERE aggregate_id = 'k'"))
                .isEqualTo("1");
    }

    /** The interleaving: the owner settles, its lease expires, and another relay tries to acquire the lane. */
    @Test
    void aLaneIsNotTakenOverDuringATransactionOfItsOwner() throws SQLException {
        Lease lease = lanes("r1").get(0);
        try (Connection connection = backend.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            Claims.verified(connection, List.of(new LaneRequest(lease, List.of(), 10)));
            backend.age(LEASE.plusSeconds(1));
            assertThat(backend.store().acquire("r2", lease.lane(), LEASE)).isEmpty();
            backend.store().heartbeat(new RelayReport("r1", "here", "test", 0, 0), LEASE); // does not wait for a lock
            connection.commit();
        }
        backend.age(LEASE.plusSeconds(1));
        assertThat(backend.store().acquire("r2", lease.lane(), LEASE)).isPresent();
    }

    /** The interleaving: another relay takes the lane over, and the former owner continues before that is committed. */
    @Test
    void anOwnerThatWaitedForATakeoverIsFenced() throws Exception {
        List<Lease> leases = lanes("r1");
        Lease lease = leases.get(leases.size() - 1);
        List<LaneRequest> turns =
                leases.stream().map(one -> new LaneRequest(one, List.of(), 10)).toList();
        backend.age(LEASE.plusSeconds(1));
        ExecutorService owner = Executors.newSingleThreadExecutor();
        try (Connection takeover = backend.dataSource().getConnection()) {
            takeover.setAutoCommit(false);
            assertThat(LaneTable.acquire(takeover, "r2", lease.lane(), LEASE, QueueStore::recover))
                    .isPresent();
            Future<List<List<ClaimedEvent>>> late =
                    owner.submit(() -> backend.store().advance(turns));
            assertThatThrownBy(() -> late.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            takeover.commit();

            assertThatThrownBy(() -> late.get(4, TimeUnit.MINUTES)).hasCause(new FencedException(lease));
        } finally {
            owner.shutdown();
        }
    }

    @Test
    void concurrentApplyAndApplyAfterAnInterruptionCreateTheSchemaOnce() throws Exception {
        backend.execute(
                "DELETE FROM waybill_schema"); // as if the script had been interrupted before its last statement
        backend.execute("DROP VIEW outbox_states");
        ExecutorService together = Executors.newFixedThreadPool(4);
        Callable<Boolean> apply = () -> OutboxSchema.apply(backend.dataSource());
        int created = 0;
        for (Future<Boolean> result : together.invokeAll(List.of(apply, apply, apply, apply))) {
            created += result.get() ? 1 : 0;
        }
        together.shutdown();
        assertThat(created).isEqualTo(1);
        assertThat(OutboxSchema.problems(backend.dataSource())).isEmpty();
        assertThat(OutboxSchema.engine(backend.dataSource())).contains(Engine.QUEUE);
    }

    @Test
    void theJournalLayoutsAndLaneChangesAreRefusedWithAnExplanation() {
        assertThatThrownBy(() -> OutboxSchema.apply(backend.dataSource(), Engine.JOURNAL))
                .isInstanceOf(UnsupportedByDatabaseException.class)
                .hasMessageContaining("journal engine needs PostgreSQL")
                .hasMessageContaining("Use the queue engine");
        assertThatThrownBy(() -> PostgresJournal.on(backend.dataSource()).view().status())
                .hasMessageContaining("journal engine needs PostgreSQL");
        assertThatThrownBy(() -> OutboxSchema.changeLanes(backend.dataSource(), 16, false))
                .isInstanceOf(UnsupportedByDatabaseException.class)
                .hasMessageContaining("cannot be changed");
        Layout layout = Layout.of("claimed-status", Path.of("."));
        assertThatThrownBy(() -> LayoutSchema.apply(backend.dataSource(), layout))
                .isInstanceOf(UnsupportedByDatabaseException.class)
                .hasMessageContaining("Layouts serve tables in PostgreSQL");
    }

    /** The table lacks a column, as if an earlier version had created it. */
    @Test
    void theCheckNamesAMissingColumnAndTheRemedy() {
        backend.execute("ALTER TABLE outbox_claims DROP COLUMN owner");
        backend.execute("ALTER TABLE outbox_claims DROP COLUMN fence");
        assertThat(OutboxSchema.problems(backend.dataSource()))
                .singleElement()
                .satisfies(problem ->
                        assertThat(problem).contains("outbox_claims", "owner, fence", "waybill schema print"));
    }

    @Test
    void theErrorForAMissingTableNamesTheRemedy() {
        backend.execute("DROP TABLE outbox_relays");
        assertThat(OutboxSchema.problems(backend.dataSource()))
                .singleElement()
                .satisfies(problem -> assertThat(problem).contains("outbox_relays"));
        assertThatThrownBy(() -> backend.view().status()).hasMessageContaining("waybill schema apply");
    }
}
