package io.waybill.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.operate.DeadLetters;
import io.waybill.operate.EventState;
import io.waybill.store.Claimed;
import io.waybill.store.Lease;
import io.waybill.store.Outcome;
import io.waybill.store.RelayReport;
import io.waybill.store.Roll;
import io.waybill.testkit.servers.SharedServers;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is taken from a table with numbers for ids, and what that table is told. */
class LayoutStoreTest {
    private static final Duration LEASE = Duration.ofSeconds(30);

    private static final String LAYOUT = """
            table = public.outbox_events
            id = id
            key = account
            type = kind
            payload = body
            created = written
            order = id
            waiting = state = 'new'
            success.state = 'done'
            failure.tries = :attempts
            failure.note = :error
            failure.due = :next_attempt_at
            dead.state = 'dead'
            dead.note = :error
            """;

    private final HikariDataSource source = new HikariDataSource();
    private final List<Lease> leases = new ArrayList<>();

    private JdbcQueue serve(String idType, String layout) {
        source.setJdbcUrl(SharedServers.freshDatabase() + "&currentSchema=waybill");
        execute("CREATE TABLE public.outbox_events (id " + idType
                + " PRIMARY KEY, account text, kind text NOT NULL, body text,"
                + " state text NOT NULL DEFAULT 'new', tries int, note varchar(20), due timestamptz,"
                + " written timestamp NOT NULL DEFAULT (clock_timestamp() AT TIME ZONE 'UTC'))");
        Layout parsed = Layout.parse("mine", layout);
        assertThat(LayoutSchema.apply(source, parsed)).isTrue();
        assertThat(LayoutSchema.apply(source, parsed)).isFalse();
        assertThat(LayoutSchema.problems(source, parsed)).isEmpty();
        JdbcQueue queue = JdbcQueue.on(source, parsed);
        Roll roll = queue.store().heartbeat(new RelayReport("relay", "here:1", "test", 0, 0), LEASE);
        roll.lanes()
                .forEach(lane ->
                        queue.store().acquire("relay", lane.lane(), LEASE).ifPresent(leases::add));
        return queue;
    }

    @AfterEach
    void close() {
        source.close();
    }

    @Test
    void numbersForIdsBecomeTheSameEventIdsEachTime() {
        JdbcQueue queue = serve("bigserial", LAYOUT);
        insert("'a'", "'{\"n\": 1}'");
        insert("'a'", "'{\"n\": 2}'");
        List<Claimed> claims = claim(queue);
        assertThat(claims).extracting(one -> one.event().payload()).containsExactly("{\"n\": 1}", "{\"n\": 2}");
        UUID first = claims.get(0).event().id();
        settle(queue, claims, Outcome.Published::new);
        assertThat(texts("SELECT state FROM public.outbox_events ORDER BY id")).containsExactly("done", "done");
        assertThat(number("SELECT count(*) FROM outbox_sources")).isZero();
        assertThat(number("SELECT count(*) FROM outbox_events")).isZero();
        assertThat(claim(queue)).isEmpty();

        execute("UPDATE public.outbox_events SET state = 'new' WHERE id = 1");
        assertThat(claim(queue)).extracting(one -> one.event().id()).containsExactly(first);
    }

    @Test
    void textsThatAreUuidsStayTheIdsOfTheirEvents() {
        JdbcQueue queue = serve("text", LAYOUT);
        UUID id = UUID.randomUUID();
        execute("INSERT INTO public.outbox_events (id, account, kind, body) VALUES ('" + id
                + "', 'a', 'k', '{}'), ('x-1', 'b', 'k', '{}')");
        List<Claimed> claims = claim(queue);
        assertThat(claims).hasSize(2).extracting(one -> one.event().id()).contains(id);
        settle(queue, claims, Outcome.Published::new);
        assertThat(texts("SELECT state FROM public.outbox_events")).containsExactly("done", "done");
    }

    @Test
    void failuresAreToldAsTheyStandAndCutToTheirColumn() {
        JdbcQueue queue = serve("bigserial", LAYOUT);
        insert("'a'", "'{}'");
        insert("'a'", "'{}'");
        settle(
                queue,
                claim(queue),
                one -> one.position() == 1
                        ? new Outcome.Retry(one, Duration.ofHours(1), "a reason that is too long for it", true)
                        : new Outcome.Parked(one));
        assertThat(
                        texts(
                                "SELECT state || ' ' || tries || ' ' || note || ' ' || (due > now()) FROM public.outbox_events WHERE id = 1"))
                .containsExactly("new 1 a reason that is too true");
        assertThat(texts("SELECT state || ' ' || (tries IS NULL) FROM public.outbox_events WHERE id = 2"))
                .containsExactly("new true");
        assertThat(claim(queue)).as("both are known and not due").isEmpty();
    }

    @Test
    void aDeadLetterThatItsOwnerSetsBackIsTakenAsItIsNow() {
        JdbcQueue queue = serve("bigserial", LAYOUT);
        insert("'a'", "'{\"n\": 1}'");
        settle(queue, claim(queue), one -> new Outcome.Dead(one, "no", false));
        assertThat(texts("SELECT state || ' ' || note FROM public.outbox_events"))
                .containsExactly("dead no");
        execute("UPDATE public.outbox_events SET state = 'new', body = '{\"n\": 2}'");
        List<Claimed> again = awaitClaim(queue);
        assertThat(again).extracting(one -> one.event().payload()).containsExactly("{\"n\": 2}");
        settle(queue, again, Outcome.Published::new);
        assertThat(texts("SELECT state FROM public.outbox_events")).containsExactly("done");
    }

    @Test
    void aDeadLetterThatBlocksItsKeyKeepsItsPlaceWhenItIsSetBack() {
        JdbcQueue queue = serve("bigserial", LAYOUT);
        insert("'a'", "'{\"n\": 1}'");
        insert("'a'", "'{\"n\": 2}'");
        settle(
                queue,
                claim(queue),
                one -> one.position() == 1 ? new Outcome.Dead(one, "no", true) : new Outcome.Parked(one));
        execute("UPDATE public.outbox_events SET state = 'new', body = '{\"n\": 3}' WHERE id = 1");
        List<Claimed> again = awaitClaim(queue);
        assertThat(again).extracting(one -> one.event().payload()).containsExactly("{\"n\": 3}");
        settle(queue, again, Outcome.Published::new);
        assertThat(claim(queue)).extracting(one -> one.event().payload()).containsExactly("{\"n\": 2}");
    }

    @Test
    void aReplayedDeadLetterEndsInItsTableToo() {
        JdbcQueue queue = serve("bigserial", LAYOUT);
        insert("'a'", "'{}'");
        List<Claimed> claims = claim(queue);
        settle(queue, claims, one -> new Outcome.Dead(one, "no", false));
        queue.deadLetters().replay(List.of(claims.get(0).event().id()), new DeadLetters.Decision("a test", "again"));
        settle(queue, claim(queue), Outcome.Published::new);
        assertThat(texts("SELECT state FROM public.outbox_events")).containsExactly("done");
    }

    /** It must stop neither the rows behind it nor those of other keys, nor be lost. */
    @Test
    void aRowThatIsNoEventIsADeadLetterAndStopsNobody() {
        JdbcQueue queue = serve("bigserial", LAYOUT);
        insert("'a'", "'{\"n\": 1}'");
        insert("'a'", "'no JSON'");
        insert("'" + "x".repeat(300) + "'", "'{}'");
        insert("NULL", "'{\"n\": 2}'");
        List<Claimed> claims = claim(queue);
        assertThat(claims)
                .extracting(one -> one.event().key() + one.event().payload())
                .containsExactlyInAnyOrder("a{\"n\": 1}", "4{\"n\": 2}");
        assertThat(texts("SELECT state || ' ' || left(note, 12) FROM public.outbox_events WHERE id IN (2, 3)"))
                .containsExactly("dead This row can", "dead This row can");
        assertThat(queue.view().status().deadLetters()).isEqualTo(2);
        settle(queue, claims, Outcome.Published::new);

        execute("UPDATE public.outbox_events SET state = 'new', body = '{\"n\": 3}' WHERE id = 2");
        assertThat(awaitClaim(queue)).extracting(one -> one.event().payload()).containsExactly("{\"n\": 3}");
    }

    /** Otherwise it would be published for ever. */
    @Test
    void aRowThatStillWaitsAfterItsSuccessIsRefused() {
        JdbcQueue queue = serve("bigserial", LAYOUT.replace("success.state = 'done'", "success.note = 'done'"));
        insert("'a'", "'{}'");
        List<Claimed> claims = claim(queue);
        assertThatThrownBy(() -> settle(queue, claims, Outcome.Published::new))
                .hasMessageContaining("still wait")
                .hasMessageContaining("`waiting` and `success`");
        assertThat(queue.view().event(claims.get(0).event().id()).orElseThrow().state())
                .isEqualTo(EventState.CLAIMED);
    }

    /** A settlement whose answer got lost is told again, and counts nothing twice. */
    @Test
    void whatIsToldTwiceIsWrittenOnce() {
        JdbcQueue queue = serve("bigserial", LAYOUT);
        insert("'a'", "'{}'");
        Claimed claimed = claim(queue).get(0);
        Lease lease = lease(claimed);
        List<Outcome> outcomes = List.of(new Outcome.Retry(claimed, Duration.ofHours(1), "no", true));
        queue.store().advance(lease, outcomes, 0);
        queue.store().reconcile(lease, List.of(new Outcome.Published(claimed)));
        assertThat(texts("SELECT state || ' ' || tries FROM public.outbox_events"))
                .containsExactly("done 1");
        queue.store().reconcile(lease, List.of(new Outcome.Published(claimed)));
        assertThat(claim(queue)).isEmpty();
    }

    /** Those that are parked do not count, or one bad key would stop all others. */
    @Test
    void onlySoMuchIsTakenAhead() {
        JdbcQueue queue = serve("bigserial", LAYOUT);
        int rows = Intake.ENOUGH + 10;
        execute("INSERT INTO public.outbox_events (account, kind, body) SELECT 'a', 'k', '{}' FROM generate_series(1, "
                + rows + ")");
        queue.store().ready(List.of());
        assertThat(number("SELECT count(*) FROM outbox_events")).isEqualTo(Intake.ENOUGH);
        execute("UPDATE outbox_events SET state = 'PARKED', next_attempt_at = 'infinity' WHERE seq > 1");
        queue.store().ready(List.of());
        assertThat(number("SELECT count(*) FROM outbox_events")).isEqualTo(rows);
        assertThat(number(
                        "SELECT count(*) FROM (SELECT source_id::bigint < lag(source_id::bigint) OVER (ORDER BY seq) AS back"
                                + " FROM outbox_events JOIN outbox_sources USING (id)) o WHERE back"))
                .as("rows taken out of order")
                .isZero();
    }

    @Test
    void tablesThatServeAnotherTableAreLeftAlone() {
        serve("bigserial", LAYOUT);
        Layout other = Layout.parse("other", LAYOUT.replace("public.outbox_events", "public.others"));
        assertThat(LayoutSchema.problems(source, other))
                .singleElement()
                .asString()
                .contains("serve public.outbox_events, not public.others", "schema = ");
    }

    private List<Claimed> awaitClaim(JdbcQueue queue) {
        return await("it is taken back")
                .atMost(Duration.ofSeconds(20))
                .until(() -> claim(queue), claims -> !claims.isEmpty());
    }

    private List<Claimed> claim(JdbcQueue queue) {
        queue.store().ready(List.of());
        List<Claimed> claims = new ArrayList<>();
        leases.forEach(lease -> claims.addAll(queue.store().advance(lease, List.of(), 100)));
        return claims;
    }

    private void settle(JdbcQueue queue, List<Claimed> claims, Function<Claimed, Outcome> outcome) {
        leases.forEach(lease -> {
            List<Outcome> outcomes = claims.stream()
                    .filter(claimed -> lease(claimed).equals(lease))
                    .map(outcome)
                    .toList();
            if (!outcomes.isEmpty()) {
                queue.store().advance(lease, outcomes, 0);
            }
        });
    }

    private Lease lease(Claimed claimed) {
        long lane = number("SELECT outbox_lane('" + claimed.event().key() + "')");
        return leases.stream().filter(one -> one.lane() == lane).findFirst().orElseThrow();
    }

    private void insert(String key, String body) {
        execute("INSERT INTO public.outbox_events (account, kind, body) VALUES (" + key + ", 'k', " + body + ")");
    }

    private void execute(String sql) {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    private long number(String sql) {
        return Long.parseLong(texts(sql).get(0));
    }

    private List<String> texts(String sql) {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> texts = new ArrayList<>();
            while (rows.next()) {
                texts.add(rows.getString(1));
            }
            return texts;
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }
}
