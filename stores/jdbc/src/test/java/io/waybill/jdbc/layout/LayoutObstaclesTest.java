package io.waybill.jdbc.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.jdbc.JdbcQueue;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.PublishOutcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The application locks rows of its table, or takes privileges away: the relay goes on with everything else. */
class LayoutObstaclesTest extends LayoutFixture {
    private static final String CLAIMING =
            LAYOUT.replace("waiting = state = 'new'", "waiting = state IN ('new', 'claimed')")
                    + "claim.state = 'claimed'\n";

    @ParameterizedTest
    @ValueSource(strings = {"bigserial", "uuid DEFAULT gen_random_uuid()"})
    void aLockedRowIsImportedInOrderAndDelaysNoOtherRow(String idType) throws SQLException {
        JdbcQueue queue = serve(idType, CLAIMING.replace("order = id", "order = written"));
        insert("'a'", "'{\"n\": 1}'");
        insert("'b'", "'{\"n\": 2}'");
        insert("'a'", "'{\"n\": 3}'");
        try (Connection application = source.getConnection()) {
            lock(application, "body LIKE '%1%'");
            List<ClaimedEvent> claims = awaitClaim(queue);
            assertThat(claims)
                    .filteredOn(one -> one.event().key().equals("a"))
                    .extracting(one -> one.event().payload())
                    .containsExactly("{\"n\": 1}", "{\"n\": 3}");
            assertThat(claims).hasSize(3);
            settle(queue, claims, PublishOutcome.Published::new);
            assertThat(texts("SELECT state FROM public.outbox_events ORDER BY written"))
                    .containsExactly("new", "done", "done");
            assertThat(claim(queue)).as("published already").isEmpty();
            application.rollback();
        }
        awaitState(queue, "state = 'done'", 3);
        assertThat(number("SELECT count(*) FROM outbox_events")).isZero();
        assertThat(number("SELECT count(*) FROM outbox_sources")).isZero();
    }

    @Test
    void aDeadLetterWhoseRowIsLockedIsWrittenBackLaterAndNotReplayed() throws SQLException {
        JdbcQueue queue = serve("bigserial", LAYOUT);
        insert("'a'", "'{}'");
        List<ClaimedEvent> claims = awaitClaim(queue);
        try (Connection application = source.getConnection()) {
            lock(application, "true");
            settle(queue, claims, one -> new PublishOutcome.Dead(one, "no", false));
            assertThat(claim(queue)).isEmpty();
            application.rollback();
        }
        awaitState(queue, "state = 'dead' AND note = 'no'", 1);
        assertThat(queue.view().status().deadLetters()).isOne();
    }

    @Test
    void retriesContinueWhilePrivilegesOnTheTableAreRevoked() {
        serve("bigserial", LAYOUT).store().leave("relay");
        leases.clear();
        String role = "relay_" + source.getJdbcUrl().replaceAll("\\W", "_").hashCode();
        execute("CREATE ROLE \"" + role + "\"");
        execute("GRANT ALL ON SCHEMA waybill, public TO \"" + role + "\"");
        execute("GRANT ALL ON ALL TABLES IN SCHEMA waybill TO \"" + role + "\"");
        execute("GRANT ALL ON ALL SEQUENCES IN SCHEMA waybill TO \"" + role + "\"");
        execute("GRANT ALL ON ALL TABLES IN SCHEMA public TO \"" + role + "\"");
        execute("GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO \"" + role + "\"");
        try (HikariDataSource limited = new HikariDataSource()) {
            limited.setJdbcUrl(source.getJdbcUrl());
            limited.setConnectionInitSql("SET ROLE \"" + role + "\"");
            JdbcQueue queue = acquire(JdbcQueue.on(limited, Layout.parse("mine", LAYOUT)));
            insert("'a'", "'{}'");
            settle(queue, awaitClaim(queue), one -> new PublishOutcome.Retry(one, Duration.ZERO, "no", true));
            insert("'b'", "'{}'");
            execute("REVOKE ALL ON public.outbox_events FROM \"" + role + "\"");

            List<Integer> lanes = leases.stream().map(lease -> lease.lane()).toList();
            assertThat(queue.store().ready(lanes)).hasSize(1);
            List<ClaimedEvent> retry = awaitClaim(queue);
            assertThat(retry).extracting(one -> one.event().key()).containsExactly("a");
            settle(queue, retry, PublishOutcome.Published::new);
            assertThat(claim(queue)).isEmpty();
            assertThat(queue.view().status().warnings())
                    .anySatisfy(warning -> assertThat(warning).contains("public.outbox_events", "permission denied"))
                    .anySatisfy(warning -> assertThat(warning).contains("1 finished events are not marked"));

            execute("GRANT ALL ON public.outbox_events TO \"" + role + "\"");
            assertThat(awaitClaim(queue)).extracting(one -> one.event().key()).containsExactly("b");
            awaitState(queue, "account = 'a' AND state = 'done'", 1);
            assertThat(queue.view().status().warnings()).isEmpty();
        }
    }

    @Test
    void aTableLockDoesNotStopRetries() throws SQLException {
        JdbcQueue queue = serve("bigserial", LAYOUT);
        insert("'a'", "'{}'");
        settle(queue, awaitClaim(queue), one -> new PublishOutcome.Retry(one, Duration.ZERO, "no", true));
        try (Connection application = source.getConnection()) {
            application.setAutoCommit(false);
            try (Statement statement = application.createStatement()) {
                statement.execute("LOCK TABLE public.outbox_events");
            }
            List<ClaimedEvent> retry = awaitClaim(queue);
            settle(queue, retry, PublishOutcome.Published::new);
            application.rollback();
        }
        awaitState(queue, "state = 'done'", 1);
    }

    private void awaitState(JdbcQueue queue, String condition, long rows) {
        await("rows with " + condition).atMost(Duration.ofMinutes(4)).until(() -> {
            queue.store().ready(List.of());
            return number("SELECT count(*) FROM public.outbox_events WHERE " + condition) == rows;
        });
    }

    private static void lock(Connection application, String rows) throws SQLException {
        application.setAutoCommit(false);
        try (Statement statement = application.createStatement()) {
            statement.execute("SELECT 1 FROM public.outbox_events WHERE " + rows + " FOR UPDATE");
        }
    }
}
