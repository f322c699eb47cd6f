package io.waybill.jdbc.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.admin.DeadLetters;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.PublishOutcome;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How the journal settles and repeats pages, and where held events take their place among them. */
class JournalPageTest extends JournalLane {
    /** The transaction that settles the last page of a window and opens the next one is committed, and its answer is lost. */
    @Test
    void aLostAnswerAtTheEndOfAWindowRepeatsAndLosesNothing() {
        append(key("a"), "1", "2");
        List<ClaimedEvent> last = claim(10);
        append(key("b"), "3");
        List<PublishOutcome> settled = outcomes(last, PublishOutcome.Published::new);
        assertThat(payloads(store.advance(lease, settled, 10))).containsExactly("3");

        store.reconcile(lease, settled);
        store.reconcile(lease, settled);

        List<ClaimedEvent> again = claim(10);
        assertThat(payloads(again)).containsExactly("3");
        assertThat(again.get(0).retryCount()).isZero();
    }

    /** As before, but the transaction is not committed. */
    @Test
    void aSettlementThatWasNotCommittedIsRepeated() {
        append(key("a"), "1", "2");
        List<ClaimedEvent> claims = claim(10);
        store.reconcile(
                lease,
                List.of(
                        new PublishOutcome.Published(claims.get(0)),
                        new PublishOutcome.Retry(claims.get(1), Duration.ofHours(1), "no", true)));
        assertThat(drain()).isEmpty();
        assertThat(backend.view().status().retrying()).isEqualTo(1);
    }

    @Test
    void eventsReleasedInTheMiddleDoNotRepeatTheirNeighbours() {
        String a = key("a");
        String b = key("b");
        append(a, "a1");
        append(b, "b1");
        append(a, "a2");
        append(b, "b2");
        List<ClaimedEvent> claims = claim(10);
        store.advance(
                lease,
                outcomes(
                        claims,
                        c -> c.event().key().equals(a) || payloads(List.of(c)).contains("b2")
                                ? new PublishOutcome.Released(c)
                                : new PublishOutcome.Published(c)),
                0);
        assertThat(drain()).containsExactlyInAnyOrder("a1", "a2", "b2").containsSubsequence("a1", "a2");
    }

    /** Two retries of a key are due. A batch claims the first and releases it: it must stay ahead of the second. */
    @Test
    void aReleasedRetryStaysAheadOfItsSuccessors() {
        String a = key("a");
        append(a, "1", "2", "3", "4");
        List<ClaimedEvent> claims = claim(10);
        store.advance(
                lease,
                outcomes(
                        claims,
                        c -> c.equals(claims.get(0))
                                ? new PublishOutcome.Retry(c, Duration.ZERO, "no", true)
                                : new PublishOutcome.Parked(c)),
                0);
        publish(claim(10));
        for (int i = 0; i < 3; i++) {
            List<ClaimedEvent> two = claim(4);
            assertThat(payloads(two)).containsExactly("2", "3");
            store.advance(lease, outcomes(two, PublishOutcome.Released::new), 0);
        }
        assertThat(drain()).containsExactly("2", "3", "4");
    }

    @Test
    void aRetryWithoutDelayStaysAheadOfItsSuccessors() {
        String a = key("a");
        append(a, "1", "2", "3", "4");
        List<ClaimedEvent> claims = claim(10);
        store.advance(
                lease,
                outcomes(
                        claims,
                        c -> c.equals(claims.get(0))
                                ? new PublishOutcome.Retry(c, Duration.ZERO, "no", true)
                                : new PublishOutcome.Parked(c)),
                0);
        publish(claim(10));
        List<ClaimedEvent> one = claim(2);
        assertThat(payloads(one)).containsExactly("2");
        store.advance(lease, outcomes(one, c -> new PublishOutcome.Retry(c, Duration.ZERO, "no", true)), 0);
        assertThat(drain()).containsExactly("2", "3", "4");
    }

    /** A page parks an event before the page is settled; the event is published; then the page is read again. */
    @Test
    void aPublishedEventOfAnOpenPageIsNotRepeated() {
        String a = key("a");
        String b = key("b");
        append(b, "b1");
        store.advance(lease, outcomes(claim(10), c -> new PublishOutcome.Retry(c, Duration.ZERO, "no", true)), 0);
        append(a, "a1");
        append(b, "b2");
        List<ClaimedEvent> batch = claim(10);
        assertThat(payloads(batch)).containsExactly("b1", "a1");
        for (String next : List.of("b2", "")) {
            batch = store.advance(
                    lease,
                    outcomes(
                            batch,
                            c -> c.event().key().equals(a)
                                    ? new PublishOutcome.Released(c)
                                    : new PublishOutcome.Published(c)),
                    10);
            assertThat(payloads(batch)).contains("a1").hasSize(next.isEmpty() ? 1 : 2);
        }
        publish(batch);
        assertThat(drain()).isEmpty();
        assertThat(backend.query("SELECT DISTINCT state FROM outbox_states")).isEqualTo("PUBLISHED");
    }

    @Test
    void aPageThatCrashedItsOwnerIsReadAgainWithoutItsParkedEvents() {
        String a = key("a");
        append(a, "a1");
        store.advance(lease, outcomes(claim(10), c -> new PublishOutcome.Retry(c, Duration.ofHours(1), "no", true)), 0);
        append(a, "a2");
        append(key("b"), "b1", "b2");
        assertThat(payloads(claim(10))).containsExactly("b1", "b2");

        lease = takeFromTheDead("r2");
        assertThat(drain()).containsExactly("b1", "b2");
        backend.age(Duration.ofHours(2));
        lease = take("r3");
        assertThat(drain()).containsExactly("a1", "a2");
    }

    /** A replayed dead letter does not overtake an earlier held event, and later events do not overtake it. */
    @Test
    void aReplayedDeadLetterTakesItsPlaceInItsKey() {
        String a = key("a");
        append(a, "1", "2", "3");
        List<ClaimedEvent> claims = claim(10);
        List<PublishOutcome> outcomes = List.of(
                new PublishOutcome.Retry(claims.get(0), Duration.ofHours(1), "no", true),
                new PublishOutcome.Dead(claims.get(1), "no", false),
                new PublishOutcome.Parked(claims.get(2)));
        store.advance(lease, outcomes, 0);
        UUID dead = claims.get(1).event().id();
        backend.deadLetters().replay(List.of(dead), new DeadLetters.Decision("ann", "fixed"));

        assertThat(drain()).isEmpty();
        backend.age(Duration.ofHours(2));
        lease = take("r2");
        assertThat(payloads(claim(10))).containsExactly("1");
        lease = takeFromTheDead("r3");
        assertThat(drain()).containsExactly("1", "2", "3");
    }

    /** The interleaving: a relay parks an event behind a dead letter and has not committed; meanwhile an operator discards the dead letter. */
    @Test
    void noEventStaysParkedBehindADeadLetterThatIsDiscardedConcurrently() throws Exception {
        String a = key("a");
        append(a, "1");
        List<ClaimedEvent> claims = claim(10);
        store.advance(lease, outcomes(claims, c -> new PublishOutcome.Dead(c, "no", true)), 0);
        append(a, "2");
        ExecutorService operator = Executors.newSingleThreadExecutor();
        try (Connection relay = begin()) {
            TransactionStart.lock(relay, lease);
            OutboxHeldTable.park(
                    relay,
                    List.of(UUID.fromString(backend.query("SELECT id FROM outbox_events ORDER BY seq DESC LIMIT 1"))));
            Future<List<UUID>> discarded = operator.submit(() -> backend.deadLetters()
                    .discard(List.of(claims.get(0).event().id()), new DeadLetters.Decision("ann", "no use")));
            awaitLock(discarded);
            relay.commit();
            assertThat(discarded.get(4, TimeUnit.MINUTES)).hasSize(1);
        } finally {
            operator.shutdown();
        }
        assertThat(drain()).containsExactly("2");
    }
}
