package io.waybill.jdbc.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.waybill.admin.DeadLetters;
import io.waybill.admin.EventState;
import io.waybill.jdbc.JdbcQueue;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Imports from a table with numeric ids, and the outcomes that are written back into it. */
class LayoutStoreTest extends LayoutFixture {
    @Test
    void aNumericIdAlwaysGetsTheSameEventId() {
        JdbcQueue queue = serve("bigserial", LAYOUT);
        insert("'a'", "'{\"n\": 1}'");
        insert("'a'", "'{\"n\": 2}'");
        List<ClaimedEvent> claims = awaitClaim(queue);
        assertThat(claims).extracting(one -> one.event().payload()).containsExactly("{\"n\": 1}", "{\"n\": 2}");
        UUID first = claims.get(0).event().id();
        settle(queue, claims, PublishOutcome.Published::new);
        assertThat(texts("SELECT state FROM public.outbox_events ORDER BY id")).containsExactly("done", "done");
        assertThat(number("SELECT count(*) FROM outbox_sources")).isZero();
        assertThat(number("SELECT count(*) FROM outbox_events")).isZero();
        assertThat(claim(queue)).isEmpty();

        execute("UPDATE public.outbox_events SET state = 'new' WHERE id = 1");
        assertThat(awaitClaim(queue)).extracting(one -> one.event().id()).containsExactly(first);
    }

    @Test
    void aTextIdThatIsAUuidBecomesTheEventId() {
        JdbcQueue queue = serve("text", LAYOUT);
        UUID id = UUID.randomUUID();
        execute("INSERT INTO public.outbox_events (id, account, kind, body) VALUES ('" + id
                + "', 'a', 'k', '{}'), ('x-1', 'b', 'k', '{}')");
        List<ClaimedEvent> claims = awaitClaim(queue);
        assertThat(claims).hasSize(2).extracting(one -> one.event().id()).contains(id);
        settle(queue, claims, PublishOutcome.Published::new);
        assertThat(texts("SELECT state FROM public.outbox_events")).containsExactly("done", "done");
    }

    @Test
    void failuresAreWrittenBackAndTruncatedToTheirColumn() {
        JdbcQueue queue = serve("bigserial", LAYOUT);
        insert("'a'", "'{}'");
        insert("'a'", "'{}'");
        settle(
                queue,
                awaitClaim(queue),
                one -> one.position() == 1
                        ? new PublishOutcome.Retry(one, Duration.ofHours(1), "a reason that is too long for it", true)
                        : new PublishOutcome.Parked(one));
        assertThat(
                        texts(
                                "SELECT state || ' ' || tries || ' ' || note || ' ' || (due > now()) FROM public.outbox_events WHERE id = 1"))
                .containsExactly("new 1 a reason that is too true");
        assertThat(texts("SELECT state || ' ' || (tries IS NULL) FROM public.outbox_events WHERE id = 2"))
                .containsExactly("new true");
        assertThat(claim(queue)).as("both are known and not due").isEmpty();
    }

    @Test
    void aDeadLetterSetBackToPendingIsPublishedWithItsCurrentContent() {
        JdbcQueue queue = serve("bigserial", LAYOUT);
        insert("'a'", "'{\"n\": 1}'");
        settle(queue, awaitClaim(queue), one -> new PublishOutcome.Dead(one, "no", false));
        assertThat(texts("SELECT state || ' ' || note FROM public.outbox_events"))
                .containsExactly("dead no");
        execute("UPDATE public.outbox_events SET state = 'new', body = '{\"n\": 2}'");
        List<ClaimedEvent> again = awaitClaim(queue);
        assertThat(again).extracting(one -> one.event().payload()).containsExactly("{\"n\": 2}");
        settle(queue, again, PublishOutcome.Published::new);
        assertThat(texts("SELECT state FROM public.outbox_events")).containsExactly("done");
    }

    @Test
    void aDeadLetterThatBlocksItsKeyStaysFirstWhenItIsSetBack() {
        JdbcQueue queue = serve("bigserial", LAYOUT);
        insert("'a'", "'{\"n\": 1}'");
        insert("'a'", "'{\"n\": 2}'");
        settle(
                queue,
                awaitClaim(queue),
                one -> one.position() == 1 ? new PublishOutcome.Dead(one, "no", true) : new PublishOutcome.Parked(one));
        execute("UPDATE public.outbox_events SET state = 'new', body = '{\"n\": 3}' WHERE id = 1");
        List<ClaimedEvent> again = awaitClaim(queue);
        assertThat(again).extracting(one -> one.event().payload()).containsExactly("{\"n\": 3}");
        settle(queue, again, PublishOutcome.Published::new);
        assertThat(awaitClaim(queue)).extracting(one -> one.event().payload()).containsExactly("{\"n\": 2}");
    }

    @Test
    void aReplayedDeadLetterIsMarkedInItsTable() {
        JdbcQueue queue = serve("bigserial", LAYOUT);
        insert("'a'", "'{}'");
        List<ClaimedEvent> claims = awaitClaim(queue);
        settle(queue, claims, one -> new PublishOutcome.Dead(one, "no", false));
        queue.deadLetters().replay(List.of(claims.get(0).event().id()), new DeadLetters.Decision("a test", "again"));
        settle(queue, awaitClaim(queue), PublishOutcome.Published::new);
        assertThat(texts("SELECT state FROM public.outbox_events")).containsExactly("done");
    }

    /** It blocks neither later rows nor other keys, and it is not lost. */
    @Test
    void anUnreadableRowBecomesADeadLetterAndBlocksNoOther() {
        JdbcQueue queue = serve("bigserial", LAYOUT);
        insert("'a'", "'{\"n\": 1}'");
        insert("'a'", "'no JSON'");
        insert("'" + "x".repeat(300) + "'", "'{}'");
        insert("NULL", "'{\"n\": 2}'");
        List<ClaimedEvent> claims = awaitClaim(queue);
        assertThat(claims)
                .extracting(one -> one.event().key() + one.event().payload())
                .containsExactlyInAnyOrder("a{\"n\": 1}", "4{\"n\": 2}");
        assertThat(texts("SELECT state || ' ' || left(note, 12) FROM public.outbox_events WHERE id IN (2, 3)"))
                .containsExactly("dead This row can", "dead This row can");
        assertThat(queue.view().status().deadLetters()).isEqualTo(2);
        settle(queue, claims, PublishOutcome.Published::new);

        execute("UPDATE public.outbox_events SET state = 'new', body = '{\"n\": 3}' WHERE id = 2");
        assertThat(awaitClaim(queue)).extracting(one -> one.event().payload()).containsExactly("{\"n\": 3}");
    }

    /** Otherwise it would be published forever. */
    @Test
    void aLayoutWhoseRowsStayPendingAfterSuccessIsRefused() {
        JdbcQueue queue = serve("bigserial", LAYOUT.replace("success.state = 'done'", "success.note = 'done'"));
        insert("'a'", "'{}'");
        List<ClaimedEvent> claims = awaitClaim(queue);
        assertThatThrownBy(() -> settle(queue, claims, PublishOutcome.Published::new))
                .hasMessageContaining("still wait")
                .hasMessageContaining("`waiting` and `success`");
        assertThat(queue.view().event(claims.get(0).event().id()).orElseThrow().state())
                .isEqualTo(EventState.CLAIMED);
    }

    /** A settlement whose answer was lost is repeated; attempts are not counted twice. */
    @Test
    void aRepeatedWriteBackHasNoFurtherEffect() {
        JdbcQueue queue = serve("bigserial", LAYOUT);
        insert("'a'", "'{}'");
        ClaimedEvent claimed = awaitClaim(queue).get(0);
        Lease lease = lease(claimed);
        List<PublishOutcome> outcomes = List.of(new PublishOutcome.Retry(claimed, Duration.ofHours(1), "no", true));
        queue.store().advance(lease, outcomes, 0);
        queue.store().reconcile(lease, List.of(new PublishOutcome.Published(claimed)));
        assertThat(texts("SELECT state || ' ' || tries FROM public.outbox_events"))
                .containsExactly("done 1");
        queue.store().reconcile(lease, List.of(new PublishOutcome.Published(claimed)));
        assertThat(claim(queue)).isEmpty();
    }

    /** Parked copies do not count; otherwise a single failing key would stop all others. */
    @Test
    void theImportPausesWhileEnoughEventsArePending() {
        JdbcQueue queue = serve("bigserial", LAYOUT);
        int rows = LayoutImporter.MAX_WAITING + 10;
        execute("INSERT INTO public.outbox_events (account, kind, body) SELECT 'a', 'k', '{}' FROM generate_series(1, "
                + rows + ")");
        awaitCopies(queue, LayoutImporter.MAX_WAITING);
        queue.store().ready(List.of());
        assertThat(number("SELECT count(*) FROM outbox_events")).isEqualTo(LayoutImporter.MAX_WAITING);
        execute("UPDATE outbox_events SET state = 'PARKED', next_attempt_at = 'infinity' WHERE seq > 1");
        awaitCopies(queue, rows);
        assertThat(number(
                        "SELECT count(*) FROM (SELECT source_id::bigint < lag(source_id::bigint) OVER (ORDER BY seq) AS back"
                                + " FROM outbox_events JOIN outbox_sources USING (id)) o WHERE back"))
                .as("rows taken out of order")
                .isZero();
    }

    private void awaitCopies(JdbcQueue queue, int rows) {
        await("copies").atMost(Duration.ofMinutes(4)).until(() -> {
            queue.store().ready(List.of());
            return number("SELECT count(*) FROM outbox_events") == rows;
        });
    }

    @Test
    void tablesThatServeAnotherTableAreRefused() {
        serve("bigserial", LAYOUT);
        Layout other = Layout.parse("other", LAYOUT.replace("public.outbox_events", "public.others"));
        assertThat(LayoutSchema.problems(source, other))
                .singleElement()
                .asString()
                .contains("serve public.outbox_events, not public.others", "schema = ");
    }
}
