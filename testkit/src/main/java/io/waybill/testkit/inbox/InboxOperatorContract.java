package io.waybill.testkit.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.admin.DeadLetters.Decision;
import io.waybill.admin.EventFilter;
import io.waybill.envelope.Envelope;
import io.waybill.inbox.DeadLetter;
import io.waybill.inbox.IdempotencyKeys.Conflict;
import io.waybill.inbox.IdempotencyKeys.Response;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxBuilder;
import io.waybill.inbox.InboxDeadLetters;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.PermanentException;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.retry.RetryPolicy;
import io.waybill.transport.Message;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Dead letters and what people do about them; effects and idempotency keys. */
@SuppressWarnings("NullAway.Init")
public abstract class InboxOperatorContract<T> {
    private static final Decision FIXED = new Decision("ada", "fixed in 1.2");

    private final Set<String> hopeless = ConcurrentHashMap.newKeySet();
    private InboxBackend<T> backend;
    private Inbox<T> inbox;

    protected abstract InboxBackend<T> open();

    @BeforeEach
    final void begin() {
        backend = open();
        inbox = builder("stock").build();
    }

    @AfterEach
    final void end() {
        backend.close();
    }

    private InboxBuilder<T> builder(String group) {
        return Inbox.builder(backend.store(), group)
                .on(Messages.TYPE, (transaction, event) -> {
                    backend.writeLedger(transaction, group + " " + Messages.text(event));
                    if (hopeless.contains(Messages.text(event))) {
                        throw new PermanentException("hopeless");
                    }
                })
                .deadLettersTo(backend.outbox());
    }

    private UUID bury(Inbox<T> by, ReceivedMessage message) {
        assertThat(by.handle(message)).isEqualTo(InboxOutcome.DEAD_LETTERED);
        return UUID.fromString(message.headers().getOrDefault(Headers.EVENT_ID, ""));
    }

    @Test
    void theDeadLetterTopicGetsExactlyTheBodyAndSaysWhereItCameFrom() {
        hopeless.add("a");
        ReceivedMessage message = Messages.of(
                Messages.event("42", "a").header(Headers.CORRELATION_ID, "c-1").build());
        UUID id = bury(builder("reserving").service("inventory-service").build(), message);

        assertThat(backend.appended()).hasSize(1);
        Event appended = backend.appended().get(0);
        Message wire = Envelope.standard("inventory").seal(appended);
        assertThat(wire.topic()).isEqualTo("orders.dlt");
        assertThat(wire.key()).isEqualTo("42");
        assertThat(new String(wire.value(), StandardCharsets.UTF_8))
                .matches("\\{\"eventId\":\"" + id + "\",\"originalEvent\":\\Q"
                        + new String(message.value(), StandardCharsets.UTF_8)
                        + "\\E,\"errorMessage\":\"hopeless\",\"failedAt\":\"[0-9T:.\\-]+Z\","
                        + "\"consumerService\":\"inventory-service\"\\}");
        assertThat(wire.headers())
                .containsEntry("dead-letter-topic", "orders")
                .containsEntry("dead-letter-partition", "0")
                .containsEntry("dead-letter-offset", Long.toString(message.offset()))
                .containsEntry("dead-letter-group", "reserving")
                .containsEntry("dead-letter-attempts", "1")
                .containsEntry("dead-letter-error-class", PermanentException.class.getName())
                .containsEntry(Headers.CORRELATION_ID, "c-1")
                .containsEntry(Headers.CAUSATION_ID, id.toString())
                .doesNotContainKey(Headers.ENVELOPE);
    }

    @Test
    void poisonIsADeadLetterAtOnceAndKeptAsItWas() {
        List<byte[]> poisons = List.of(
                new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1},
                "no json".getBytes(StandardCharsets.UTF_8),
                "{\"half\":".getBytes(StandardCharsets.UTF_8),
                "[1]".getBytes(StandardCharsets.UTF_8),
                "{\"eventId\":\"x\"}".getBytes(StandardCharsets.UTF_8),
                "{\"eventId\":\"x\",\"eventType\":\"a\\u0000b\"}".getBytes(StandardCharsets.UTF_8),
                "{\"eventId\":\"x\",\"eventType\":\"a\\ud800b\"}".getBytes(StandardCharsets.UTF_8),
                new byte[0],
                new byte[300_000], // as text in JSON six times as long
                new byte[950_000]);
        for (int i = 0; i < poisons.size(); i++) {
            ReceivedMessage poison =
                    new ReceivedMessage("orders", 1, i, "k\0" + i, poisons.get(i), Map.of("odd", "a\0b"));
            assertThat(inbox.handle(poison)).isEqualTo(InboxOutcome.DEAD_LETTERED);
            assertThat(inbox.handle(poison)).as("redelivered").isEqualTo(InboxOutcome.DUPLICATE);
        }
        List<DeadLetter> letters = backend.deadLetters().list("stock", EventFilter.ALL, 100);
        assertThat(letters).hasSize(poisons.size());
        for (DeadLetter letter : letters) {
            int i = (int) letter.message().offset();
            assertThat(letter.message().value()).isEqualTo(poisons.get(i));
            assertThat(letter.message().headers()).containsEntry("odd", "a\0b");
            assertThat(letter.error()).isNotBlank();
        }
        assertThat(backend.appended()).hasSize(poisons.size());
        assertThat(inbox.handle(Messages.of("k1", "fine"))).isEqualTo(InboxOutcome.PROCESSED);
    }

    /** A queue has no places: two messages without properties differ by their bodies alone. */
    @Test
    void everyPoisonOfAQueueIsADeadLetterOfItsOwn() {
        for (String body : List.of("no json", "none either", "[".repeat(200_000))) {
            byte[] value = body.getBytes(StandardCharsets.UTF_8);
            ReceivedMessage first = new ReceivedMessage("orders", -1, -1, null, value, Map.of());
            ReceivedMessage again = new ReceivedMessage("orders", -1, -1, null, value, Map.of("x-delivery-count", "1"));
            assertThat(inbox.handle(first)).isEqualTo(InboxOutcome.DEAD_LETTERED);
            assertThat(inbox.handle(again)).as("redelivered").isEqualTo(InboxOutcome.DUPLICATE);
        }
        assertThat(backend.view().status("stock").deadLetters()).isEqualTo(3);
        assertThat(backend.appended()).hasSize(3);
    }

    @Test
    void oneNumberOnTwoTopicsIsTwoEvents() {
        byte[] value = ("{\"id\":\"42\",\"type\":\"" + Messages.TYPE + "\",\"payload\":\"a\"}")
                .getBytes(StandardCharsets.UTF_8);
        assertThat(inbox.handle(new ReceivedMessage("orders", 0, 1, "k", value, Map.of())))
                .isEqualTo(InboxOutcome.PROCESSED);
        assertThat(inbox.handle(new ReceivedMessage("payments", 0, 1, "k", value, Map.of())))
                .isEqualTo(InboxOutcome.PROCESSED);
        assertThat(inbox.handle(new ReceivedMessage("orders", 0, 9, "k", value, Map.of())))
                .isEqualTo(InboxOutcome.DUPLICATE);
    }

    @Test
    void unknownTypesAreSkippedRetriedOrRefusedAndUnknownFieldsIgnored() {
        ReceivedMessage unknown = Messages.of(Event.of("order.exploded", "Order", "1", "{}"));
        assertThat(inbox.handle(unknown)).isEqualTo(InboxOutcome.SKIPPED);
        Inbox<T> strict =
                builder("strict").onUnknownType(InboxBuilder.Unknown.REFUSE).build();
        assertThat(strict.handle(unknown)).isEqualTo(InboxOutcome.DEAD_LETTERED);
        Inbox<T> patient =
                builder("patient").onUnknownType(InboxBuilder.Unknown.RETRY).build();
        assertThat(patient.handle(unknown)).isEqualTo(InboxOutcome.RETRY_SCHEDULED);

        String body = "{\"future\":{\"deep\":[1,{}]},\"eventId\":\"" + UUID.randomUUID() + "\",\"eventType\":\""
                + Messages.TYPE + "\",\"version\":7,\"data\":\"x\",\"metadata\":{\"new\":true},\"more\":null}";
        assertThat(inbox.handle(
                        new ReceivedMessage("orders", 0, 99, "1", body.getBytes(StandardCharsets.UTF_8), Map.of())))
                .isEqualTo(InboxOutcome.PROCESSED);
        assertThat(backend.ledger()).containsExactly("stock x");
    }

    @Test
    void aReplayReachesItsOwnGroupOnlyAndKeepsTheEventId() {
        hopeless.add("a");
        Inbox<T> mail = builder("mail").build();
        ReceivedMessage message = Messages.of("1", "a");
        UUID id = bury(inbox, message);
        bury(mail, message);
        hopeless.clear();

        InboxDeadLetters letters = backend.deadLetters();
        assertThat(letters.replay("stock", List.of(id, UUID.randomUUID()), FIXED))
                .containsExactly(id);
        assertThat(letters.replay("stock", List.of(id), FIXED)).as("twice").isEmpty();
        assertThat(inbox.handle(message)).as("it waits for its turn").isEqualTo(InboxOutcome.PARKED);
        assertThat(inbox.runDue()).isEqualTo(1);
        assertThat(mail.runDue()).isZero();
        assertThat(backend.ledger()).containsExactly("stock a");
        assertThat(inbox.handle(message)).isEqualTo(InboxOutcome.DUPLICATE);
        assertThat(letters.find("stock", id)).isEmpty();
        assertThat(letters.find("mail", id)).isPresent();
        assertThat(letters.history("stock", id)).singleElement().satisfies(entry -> {
            assertThat(entry.action()).isEqualTo("replay");
            assertThat(entry.actor()).isEqualTo("ada");
            assertThat(entry.reason()).isEqualTo("fixed in 1.2");
            assertThat(entry.events()).isEqualTo(1);
        });
    }

    @Test
    void replayedEventsOfAKeyComeInTheirOrder() {
        List<UUID> ids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            hopeless.add("a" + i);
            ids.add(bury(inbox, Messages.of("1", "a" + i)));
        }
        hopeless.clear();
        List<UUID> backwards = new ArrayList<>(ids);
        java.util.Collections.reverse(backwards);
        assertThat(backend.deadLetters().replay("stock", backwards, FIXED)).containsExactlyElementsOf(ids);
        assertThat(inbox.handle(Messages.of("1", "later"))).isEqualTo(InboxOutcome.PARKED);
        assertThat(inbox.runDue()).isEqualTo(6);
        assertThat(backend.ledger())
                .containsExactly("stock a0", "stock a1", "stock a2", "stock a3", "stock a4", "stock later");
    }

    @Test
    void aReplayThatFailsAgainIsADeadLetterAgain() {
        hopeless.add("a");
        UUID id = bury(inbox, Messages.of("1", "a"));
        backend.deadLetters().replay("stock", List.of(id), FIXED);
        inbox.runDue();
        assertThat(backend.deadLetters().find("stock", id)).isPresent();
        assertThat(backend.appended()).as("two decisions, two messages").hasSize(2);
    }

    @Test
    void moreThanTheCapIsRefused() {
        List<UUID> many = new ArrayList<>();
        for (int i = 0; i <= InboxDeadLetters.LARGEST_BULK; i++) {
            many.add(new UUID(0, i));
        }
        assertThatThrownBy(() -> backend.deadLetters().replay("stock", many, FIXED))
                .hasMessageContaining("1001")
                .hasMessageContaining("at most 1000");
        assertThatThrownBy(() -> backend.deadLetters().discard("stock", many, FIXED))
                .hasMessageContaining("1000");
    }

    @Test
    void aDiscardedDeadLetterStaysDecided() {
        hopeless.add("a");
        ReceivedMessage message = Messages.of("1", "a");
        UUID id = bury(inbox, message);
        assertThat(backend.deadLetters().discard("stock", List.of(id), FIXED)).containsExactly(id);
        hopeless.clear();
        assertThat(inbox.handle(message)).isEqualTo(InboxOutcome.DUPLICATE);
        assertThat(backend.deadLetters().replay("stock", List.of(id), FIXED)).isEmpty();
        assertThat(backend.deadLetters().history("stock", id)).hasSize(1);
        assertThat(backend.view().status("stock").deadLetters()).isZero();
    }

    @Test
    void deadLettersAreListedByGroupTypeKeyAndAge() {
        hopeless.addAll(List.of("a", "b"));
        bury(inbox, Messages.of("1", "a"));
        backend.age(Duration.ofHours(2));
        bury(builder("mail").build(), Messages.of("2", "b"));
        InboxDeadLetters letters = backend.deadLetters();
        assertThat(letters.list(null, EventFilter.ALL, 10))
                .extracting(DeadLetter::group)
                .containsExactly("stock", "mail");
        assertThat(letters.list("mail", EventFilter.ALL, 10)).hasSize(1);
        assertThat(letters.list(null, EventFilter.ALL.key("1"), 10)).hasSize(1);
        assertThat(letters.list(null, EventFilter.ALL.type("other"), 10)).isEmpty();
        assertThat(letters.list(null, EventFilter.ALL.olderThan(Duration.ofHours(1)), 10))
                .hasSize(1);
        assertThat(letters.list(null, EventFilter.ALL.youngerThan(Duration.ofHours(1)), 10))
                .hasSize(1);
        assertThat(letters.list(null, EventFilter.ALL, 1)).hasSize(1);
        assertThat(backend.view().status()).extracting(s -> s.group()).containsExactly("mail", "stock");
    }

    @Test
    void anEffectThatIsDoneIsNotRepeatedWhenItsHandlerIs() {
        List<String> mails = new ArrayList<>();
        Inbox<T> mailing = Inbox.builder(backend.store(), "mailing")
                .on(Messages.TYPE, (transaction, event) -> {
                    backend.effects("mailing").once(event, "welcome", mails::add);
                    if (mails.size() == 1 && hopeless.remove("a")) {
                        throw new IllegalStateException("fails after the mail");
                    }
                    backend.writeLedger(transaction, "done");
                })
                .retry(new RetryPolicy(3, Duration.ofSeconds(1), Duration.ofSeconds(1)))
                .build();
        hopeless.add("a");
        assertThat(mailing.handle(Messages.of("1", "a"))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        backend.age(Duration.ofMinutes(1));
        mailing.runDue();
        assertThat(mails).hasSize(1);
        assertThat(backend.ledger()).containsExactly("done");
    }

    @Test
    void anEffectIsRememberedForAsLongAsItsEventWaits() {
        List<String> mails = new ArrayList<>();
        Set<String> failing = ConcurrentHashMap.newKeySet();
        Inbox<T> mailing = Inbox.builder(backend.store(), "mailing")
                .on(Messages.TYPE, (transaction, event) -> {
                    backend.effects("mailing").once(event, "welcome", mails::add);
                    if (hopeless.contains(Messages.text(event))) {
                        throw new PermanentException("hopeless after the mail");
                    }
                    if (failing.contains(Messages.text(event))) {
                        throw new IllegalStateException("fails after the mail");
                    }
                    backend.writeLedger(transaction, Messages.text(event));
                })
                .retry(new RetryPolicy(3, Duration.ofDays(60), Duration.ofDays(60)))
                .build();
        hopeless.add("dead");
        failing.add("held");
        UUID dead = bury(mailing, Messages.of("1", "dead"));
        assertThat(mailing.handle(Messages.of("2", "held"))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        assertThat(mailing.handle(Messages.of("3", "done"))).isEqualTo(InboxOutcome.PROCESSED);
        backend.age(Duration.ofDays(100));
        mailing.prune(100);
        assertThat(backend.effectCount("mailing"))
                .as("that of the processed event is gone")
                .isEqualTo(2);

        hopeless.clear();
        failing.clear();
        backend.deadLetters().replay("mailing", List.of(dead), FIXED);
        assertThat(mailing.runDue()).isEqualTo(2);
        assertThat(backend.ledger()).containsExactlyInAnyOrder("done", "dead", "held");
        assertThat(mails).as("one for each event").hasSize(3);
        mailing.prune(100);
        assertThat(backend.effectCount("mailing")).as("nothing waits any more").isZero();
    }

    @Test
    void aRepeatedRequestGetsTheStoredResponse() {
        for (int i = 0; i < 3; i++) {
            Response response = answer("key-1", "hash", "created");
            assertThat(response).isEqualTo(new Response(201, "created"));
        }
        assertThat(backend.ledger()).containsExactly("created");
        assertThatThrownBy(() -> answer("key-1", "other hash", "x"))
                .isInstanceOfSatisfying(
                        Conflict.class,
                        conflict -> assertThat(conflict.isInProgress()).isFalse());
        backend.age(Duration.ofDays(2));
        assertThat(answer("key-1", "other hash", "after a day")).isEqualTo(new Response(201, "after a day"));
        backend.age(Duration.ofDays(2));
        assertThat(backend.idempotencyKeys().prune(10)).isEqualTo(1);
    }

    @Test
    void aRequestInProgressIsAConflictUntilItsTakeover() throws Exception {
        try (SlowRequest slow = new SlowRequest("slow")) {
            assertThatThrownBy(() -> answer("key-1", "hash", "x"))
                    .isInstanceOfSatisfying(
                            Conflict.class,
                            conflict -> assertThat(conflict.isInProgress()).isTrue());
            backend.age(Duration.ofSeconds(31));
            assertThat(answer("key-1", "hash", "taken over").body()).isEqualTo("taken over");
            assertThat(slow.finish()).as("its own work is rolled back").isEqualTo(new Response(201, "taken over"));
        }
        assertThat(backend.ledger()).containsExactly("taken over");
    }

    /** Each repetition takes the key over from the one before: if that counted, none would ever finish. */
    @Test
    void workThatTakesLongerThanTheTakeoverTimeFinishes() throws Exception {
        try (SlowRequest first = new SlowRequest("first")) {
            backend.age(Duration.ofSeconds(31));
            try (SlowRequest second = new SlowRequest("second")) {
                backend.age(Duration.ofSeconds(31));
                assertThat(first.finish()).isEqualTo(new Response(201, "first"));
                assertThat(second.finish()).isEqualTo(new Response(201, "first"));
            }
        }
        assertThat(answer("key-1", "hash", "x")).isEqualTo(new Response(201, "first"));
        assertThat(backend.ledger()).containsExactly("first");
    }

    @Test
    void aSlowRequestWhoseKeyWasTakenOverAndFreedStillFinishes() throws Exception {
        try (SlowRequest first = new SlowRequest("first")) {
            backend.age(Duration.ofSeconds(31));
            assertThatThrownBy(() -> backend.idempotencyKeys()
                            .answer("orders", "key-1", "hash", Duration.ofDays(1), transaction -> {
                                throw new IllegalStateException("no stock");
                            }))
                    .hasMessage("no stock");
            assertThat(first.finish()).isEqualTo(new Response(201, "first"));
        }
        assertThat(answer("key-1", "hash", "x")).isEqualTo(new Response(201, "first"));
        assertThat(backend.ledger()).containsExactly("first");
    }

    @Test
    void keysWhoseTimeIsOverAreRemovedInPassing() {
        answer("old", "hash", "old");
        backend.age(Duration.ofDays(2));
        for (int i = 0; i < 100; i++) {
            answer("key-" + i, "hash", "new");
        }
        assertThat(backend.idempotencyKeys().prune(1_000)).as("left to remove").isZero();
    }

    /** A request that is at work until it is told to finish. */
    private final class SlowRequest implements AutoCloseable {
        private final CountDownLatch go = new CountDownLatch(1);
        private final ExecutorService thread = Executors.newSingleThreadExecutor();
        private final Future<Response> response;

        SlowRequest(String text) {
            CountDownLatch inside = new CountDownLatch(1);
            response = thread.submit(() -> backend.idempotencyKeys()
                    .answer("orders", "key-1", "hash", Duration.ofDays(1), transaction -> {
                        backend.writeLedger(transaction, text);
                        inside.countDown();
                        await(go);
                        return new Response(201, text);
                    }));
            await(inside);
        }

        Response finish() throws Exception {
            go.countDown();
            return response.get(30, TimeUnit.SECONDS);
        }

        @Override
        public void close() {
            go.countDown();
            thread.shutdown();
        }
    }

    @Test
    void workThatFailsLeavesItsKeyUnused() {
        assertThatThrownBy(() -> backend.idempotencyKeys()
                        .answer("orders", "key-1", "hash", Duration.ofDays(1), transaction -> {
                            backend.writeLedger(transaction, "lost");
                            throw new IllegalStateException("no stock");
                        }))
                .hasMessage("no stock");
        assertThat(answer("key-1", "another hash", "fine").body()).isEqualTo("fine");
        assertThat(backend.ledger()).containsExactly("fine");
    }

    private Response answer(String key, String hash, String text) {
        return backend.idempotencyKeys().answer("orders", key, hash, Duration.ofDays(1), transaction -> {
            backend.writeLedger(transaction, text);
            return new Response(201, text);
        });
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
