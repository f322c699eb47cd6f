package io.waybill.jdbc.layout;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.envelope.Envelope;
import io.waybill.jdbc.JdbcQueue;
import io.waybill.jdbc.layout.LayoutFinding.Level;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.PublishOutcome;
import io.waybill.transport.Message;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The built-in layouts on the tables that they are made for, column by column. */
class SeedTablesTest extends LayoutFixture {
    private static final String SAGA_OUTBOX = """
            CREATE TABLE public.saga_outbox (event_id uuid PRIMARY KEY DEFAULT gen_random_uuid(), saga_id uuid,
                aggregate_type varchar(255) NOT NULL, aggregate_id varchar(255) NOT NULL, event_type varchar(255) NOT NULL,
                payload jsonb NOT NULL, headers jsonb DEFAULT '{}', status varchar(20) NOT NULL DEFAULT 'pending',
                created_at timestamptz NOT NULL DEFAULT clock_timestamp(), claimed_at timestamptz, sent_at timestamptz,
                retry_count int NOT NULL DEFAULT 0, last_error text, worker_id varchar(255));""";

    private static final String ARCHIVE = """
            CREATE TABLE public.saga_outbox_archive (LIKE public.saga_outbox, archived_at timestamptz NOT NULL DEFAULT now());""";

    private static final Layout CLAIMED_STATUS = Layout.of("claimed-status", Path.of(""));

    private static final Layout ARCHIVING = Layout.parse(
            "archiving",
            Layout.text("claimed-status", Path.of("")).replace("# on-retention = archive", "on-retention = archive"));

    private void insertSagaEvent(String key) {
        execute("INSERT INTO public.saga_outbox (aggregate_type, aggregate_id, event_type, payload) VALUES ('Order', '"
                + key + "', 'order.placed', '{}')");
    }

    private List<String> states() {
        return texts("SELECT status FROM public.saga_outbox ORDER BY aggregate_id");
    }

    @Test
    void theStatesOfTheSagaOutboxAreThoseOfItsOldWorker() {
        JdbcQueue queue = serve(CLAIMED_STATUS, SAGA_OUTBOX);
        insertSagaEvent("1");
        insertSagaEvent("2");
        insertSagaEvent("3");
        assertThat(states()).containsOnly("pending");
        List<ClaimedEvent> claims = awaitClaim(queue);
        assertThat(states()).containsOnly("claimed");
        settle(queue, claims, one -> switch (one.event().key()) {
            case "1" -> new PublishOutcome.Published(one);
            case "2" -> new PublishOutcome.Retry(one, Duration.ofMillis(1), "down", true);
            default -> new PublishOutcome.Dead(one, "never", false);
        });
        assertThat(states()).containsExactly("sent", "failed", "dead_letter");
        assertThat(texts("SELECT retry_count || ' ' || last_error FROM public.saga_outbox WHERE status = 'failed'"))
                .containsExactly("1 down");
        assertThat(number("SELECT count(*) FROM public.saga_outbox WHERE sent_at IS NOT NULL"))
                .isEqualTo(1);
        List<ClaimedEvent> retry = awaitClaim(queue);
        assertThat(states()).as("the retry is claimed").containsExactly("sent", "claimed", "dead_letter");
        settle(queue, retry, PublishOutcome.Published::new);
        assertThat(states()).containsExactly("sent", "sent", "dead_letter");
    }

    @Test
    void retentionLeavesTheRowsUnlessTheLayoutSaysOtherwise() {
        JdbcQueue queue = sent(CLAIMED_STATUS, SAGA_OUTBOX);
        queue.store().prune(Duration.ofDays(7), 100);
        assertThat(states()).containsExactly("sent", "sent", "pending");
    }

    @Test
    void retentionMovesSentRowsToTheArchive() {
        JdbcQueue queue = sent(ARCHIVING, SAGA_OUTBOX + ARCHIVE);
        assertThat(queue.store().prune(Duration.ofDays(7), 1)).isEqualTo(1);
        assertThat(states()).containsExactly("sent", "pending");
        assertThat(texts("SELECT concat_ws(' ', aggregate_id, status, event_type) FROM public.saga_outbox_archive"
                        + " WHERE archived_at IS NOT NULL"))
                .containsExactly("1 sent order.placed");
        assertThat(queue.store().prune(Duration.ofDays(7), 1))
                .as("the other is young")
                .isZero();
        execute("UPDATE public.saga_outbox SET sent_at = now() - interval '8 days'");
        assertThat(queue.store().prune(Duration.ofDays(7), 100)).isEqualTo(1);
        assertThat(states()).as("a row that waits is never removed").containsExactly("pending");
        assertThat(awaitClaim(queue)).extracting(one -> one.event().key()).containsExactly("3");
    }

    @Test
    void retentionDeletesSentRows() {
        Layout deleting = Layout.parse(
                "deleting",
                Layout.text("claimed-status", Path.of(""))
                        .replace("# on-retention = archive", "on-retention = delete"));
        JdbcQueue queue = sent(deleting, SAGA_OUTBOX);
        assertThat(queue.store().prune(Duration.ofDays(7), 100)).isEqualTo(1);
        assertThat(states()).containsExactly("sent", "pending");
    }

    /** Two sent events, an old and a young one, and a waiting one. */
    private JdbcQueue sent(Layout layout, String tables) {
        JdbcQueue queue = serve(layout, tables);
        insertSagaEvent("1");
        insertSagaEvent("2");
        List<ClaimedEvent> claims = awaitClaim(queue);
        settle(queue, claims, PublishOutcome.Published::new);
        execute("UPDATE public.saga_outbox SET sent_at = now() - interval '8 days' WHERE aggregate_id = '1'");
        insertSagaEvent("3");
        return queue;
    }

    @Test
    void aMissingArchiveIsReportedBeforeARowIsMoved() {
        serve(ARCHIVING, SAGA_OUTBOX);
        assertThat(refusals()).singleElement().satisfies(found -> {
            assertThat(found.detail()).contains("public.saga_outbox_archive does not exist");
            execute(found.remedy());
        });
        assertThat(refusals()).isEmpty();
        assertThat(LayoutSchema.grants(ARCHIVING, "relay"))
                .contains(
                        "GRANT SELECT, UPDATE, DELETE ON public.saga_outbox TO relay;",
                        "GRANT SELECT, INSERT ON public.saga_outbox_archive TO relay;");
    }

    private List<LayoutFinding> refusals() {
        return LayoutCheck.of(source, ARCHIVING).stream()
                .filter(found -> found.level() == Level.REFUSED)
                .toList();
    }

    /** Eleven columns, with a UUID as the id of the aggregate. */
    @Test
    void theLogisticsTableIsServedAsItIs() {
        JdbcQueue queue = serve(Layout.of("retry-columns", Path.of("")), """
                CREATE TABLE public.outbox_events (id uuid PRIMARY KEY, aggregate_type varchar(50) NOT NULL,
                    aggregate_id uuid NOT NULL, event_type varchar(100) NOT NULL, payload jsonb NOT NULL,
                    occurred_at timestamptz DEFAULT now(), status varchar(20) DEFAULT 'PENDING', retry_count int DEFAULT 0,
                    next_attempt_at timestamptz DEFAULT now(), last_error text, processed_at timestamptz);
                CREATE INDEX idx_outbox_poll ON public.outbox_events (status, next_attempt_at);
                CREATE INDEX idx_outbox_aggregate ON public.outbox_events (aggregate_type, aggregate_id);""");
        UUID order = UUID.randomUUID();
        for (int i = 0; i < 3; i++) {
            execute("INSERT INTO public.outbox_events (id, aggregate_type, aggregate_id, event_type, payload) VALUES ('"
                    + new UUID(0, i) + "', 'Order', '" + order + "', 'OrderCreated', '{\"n\": " + i + "}')");
        }
        List<ClaimedEvent> claims = awaitClaim(queue);
        assertThat(claims)
                .extracting(one -> one.event().key() + one.event().payload())
                .containsExactly(order + "{\"n\": 0}", order + "{\"n\": 1}", order + "{\"n\": 2}");
        settle(
                queue,
                claims,
                one -> one.position() == 1
                        ? new PublishOutcome.Retry(one, Duration.ofHours(1), "down", true)
                        : new PublishOutcome.Parked(one));
        assertThat(texts("SELECT concat_ws(' ', status, retry_count, last_error, next_attempt_at > now())"
                        + " FROM public.outbox_events ORDER BY id"))
                .containsExactly("PENDING 1 down t", "PENDING 0 f", "PENDING 0 f");
    }

    @Test
    void theMetadataOfAPolyShopEventSurvivesInAHeadersColumn() {
        JdbcQueue queue = serve(Layout.of("processed-flag", Path.of("")), """
                CREATE TABLE public.outbox_events (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), aggregate_id varchar(255) NOT NULL,
                    event_type varchar(255) NOT NULL, version int NOT NULL DEFAULT 1, payload jsonb NOT NULL,
                    created_at timestamptz NOT NULL DEFAULT now(), processed boolean NOT NULL DEFAULT false,
                    processed_at timestamptz, error_message text, headers jsonb)""");
        execute(
                "INSERT INTO public.outbox_events (aggregate_id, event_type, payload, headers) VALUES ('7',"
                        + " 'order.order.placed.v1', '{}', '{\"correlation-id\": \"checkout-7\", \"user-id\": \"ann\","
                        + " \"idempotency-key\": \"k\", \"traceparent\": \"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\"}')");
        Message message =
                Envelope.standard("order-service").seal(awaitClaim(queue).get(0).event());
        assertThat(new String(message.value(), StandardCharsets.UTF_8))
                .contains(
                        "\"metadata\":{\"traceId\":\"0af7651916cd43dd8448eb211c80319c\",\"correlationId\":\"checkout-7\","
                                + "\"idempotencyKey\":\"k\",\"userId\":\"ann\"}");
        assertThat(message.headers())
                .containsEntry("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    }

    @Test
    void aTableWithoutTopicAndKeyGetsBothFromItsLayout() {
        JdbcQueue queue = serve("bigserial", LAYOUT.replace("key = account", "key = ''") + "topic = 'ledger'\n");
        insert("'a'", "'{\"n\": 1}'");
        insert("'a'", "'{\"n\": 2}'");
        assertThat(awaitClaim(queue))
                .extracting(ClaimedEvent::event)
                .allSatisfy(event -> assertThat(event.destination()).isEqualTo("ledger"))
                .extracting(Event::key)
                .as("each row is ordered with no other")
                .containsExactlyInAnyOrder("1", "2");
    }

    @Test
    void aRowMayHaveAPartitionKeyAndALimitOfItsOwn() {
        JdbcQueue queue =
                serve("bigserial", LAYOUT + "partition-key = note\nmax-attempts = tries\nheader.account = account\n");
        execute("INSERT INTO public.outbox_events (account, kind, body, tries, note) VALUES ('a', 'k', '{}', 2, 'p'),"
                + " ('b', 'k', '{}', NULL, NULL)");
        List<ClaimedEvent> claims = awaitClaim(queue);
        Event own = find(claims, "a");
        Event usual = find(claims, "b");
        assertThat(own.partitionKey()).isEqualTo("p");
        assertThat(own.maxAttempts()).hasValue(2);
        assertThat(usual.partitionKey()).isEqualTo("b");
        assertThat(usual.maxAttempts()).isEmpty();
        Message message = Envelope.none().seal(own);
        assertThat(message.key()).isEqualTo("p");
        assertThat(message.headers()).isEqualTo(Map.of("account", "a"));
    }

    private static Event find(List<ClaimedEvent> claims, String key) {
        return claims.stream()
                .map(ClaimedEvent::event)
                .filter(event -> event.key().equals(key))
                .findFirst()
                .orElseThrow();
    }
}
