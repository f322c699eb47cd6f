package io.waybill.testkit.store;

import static io.waybill.testkit.store.StoreDriver.LEASE;
import static io.waybill.testkit.store.StoreDriver.event;
import static io.waybill.testkit.store.StoreDriver.names;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.admin.AuditEntry;
import io.waybill.admin.DeadLetters;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventRecord;
import io.waybill.admin.EventState;
import io.waybill.admin.OutboxStatus;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import io.waybill.store.RelayReport;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The operator's view of a store: counts, searches, dead letters, the audit log and retention. To test a store, write a class that
 * extends this one and implement {@link #open()}, which returns a new, empty outbox on a real database. {@link StoreContract} and
 * {@link RecoveryContract} are extended in the same way.
 */
public abstract class OperatorContract extends StoreFixture {
    private static final DeadLetters.Decision DECISION = new DeadLetters.Decision("ann", "broker limit raised");

    @Test
    void anEmptyOutboxReportsNoRelays() {
        OutboxStatus status = backend().view().status();
        assertThat(status.pending()).isZero();
        assertThat(status.oldestAge()).isZero();
        assertThat(status.liveRelays()).isZero();
        assertThat(status.lanes())
                .isNotEmpty()
                .allSatisfy(lane -> assertThat(lane.owner()).isEmpty());
    }

    @Test
    void statusCountsEveryStateFromTheRows() {
        driver().append(event("a", 1), event("a", 2), event("b", 1), event("c", 1), event("d", 1));
        backend().age(Duration.ofMinutes(10));
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        driver().settle(lanes, driver().claim(lanes), c -> switch (c.event().key()) {
            case "a" ->
                StoreDriver.number(c) == 1
                        ? new PublishOutcome.Retry(c, DELAY, "no", true)
                        : new PublishOutcome.Parked(c);
            case "b" -> new PublishOutcome.Dead(c, "poison", false);
            case "c" -> new PublishOutcome.Dead(c, "poison", true);
            default -> new PublishOutcome.Published(c);
        });
        driver().append(event("e", 1));
        driver().claim(lanes);
        driver().append(event("f", 1), event("f", 2));

        OutboxStatus status = backend().view().status();

        assertThat(status.pending()).isEqualTo(5);
        assertThat(status.claimed()).isEqualTo(1);
        assertThat(status.retrying()).isEqualTo(1);
        assertThat(status.parked()).isEqualTo(1);
        assertThat(status.deadLetters()).isEqualTo(2);
        assertThat(status.blockedKeys()).isEqualTo(2);
        assertThat(status.oldestAge()).isBetween(Duration.ofMinutes(10), Duration.ofMinutes(12));
        assertThat(status.liveRelays()).isEqualTo(1);
        assertThat(status.relays().get(0).lanes()).isEqualTo(lanes.size());
    }

    @Test
    void aRelayWithoutAHeartbeatIsNotLive() {
        driver().takeLanes("r1");
        backend().age(LEASE.plusSeconds(1));

        OutboxStatus status = backend().view().status();

        assertThat(status.liveRelays()).isZero();
        assertThat(status.relays())
                .singleElement()
                .satisfies(relay -> assertThat(relay.live()).isFalse());
        assertThat(status.lanes()).allSatisfy(lane -> assertThat(lane.owner()).isEmpty());
    }

    @Test
    void aRelayThatIsGoneHasNoRateAndIsSoonRemoved() {
        backend().store().heartbeat(new RelayReport("r1", "here:1", "test", 700, 7), LEASE);
        backend().age(LEASE.plusSeconds(1));
        assertThat(backend().view().status().relays())
                .singleElement()
                .satisfies(relay -> assertThat(relay.publishedPerSecond()).isZero());
        backend().age(Duration.ofMinutes(11));
        assertThat(backend().view().status().relays()).isEmpty();
    }

    @Test
    void eventsAreFoundByStateKeyTypeAndAge() {
        Event old = event("a", 1);
        driver().append(old);
        backend().age(Duration.ofHours(2));
        Event other = Event.of("order.paid", "Order", "b", "{\"n\": 1}");
        driver().append(other, event("c", 1));
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        driver().settle(lanes, driver().claim(lanes), PublishOutcome.Published::new);
        Event open = event("d", 1);
        driver().append(open);

        assertThat(ids(EventFilter.ALL)).hasSize(4).startsWith(open.id());
        assertThat(ids(EventFilter.ALL.state(EventState.PENDING))).containsExactly(open.id());
        assertThat(ids(EventFilter.ALL.state(EventState.PUBLISHED))).hasSize(3);
        assertThat(ids(EventFilter.ALL.key("a"))).containsExactly(old.id());
        assertThat(ids(EventFilter.ALL.type("order.paid"))).containsExactly(other.id());
        assertThat(ids(EventFilter.ALL.olderThan(Duration.ofHours(1)))).containsExactly(old.id());
        assertThat(ids(EventFilter.ALL.youngerThan(Duration.ofHours(1)))).hasSize(3);
        assertThat(backend().view().events(EventFilter.ALL, 2)).hasSize(2);
        assertThat(backend().view().event(UUID.randomUUID())).isEmpty();
    }

    private List<UUID> ids(EventFilter filter) {
        return backend().view().events(filter, 100).stream()
                .map(record -> record.event().id())
                .toList();
    }

    @Test
    void everyStateCanBeListed() {
        driver().append(event("a", 1), event("a", 2), event("b", 1), event("c", 1));
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        driver().settle(lanes, driver().claim(lanes), c -> switch (c.event().key()) {
            case "a" ->
                StoreDriver.number(c) == 1
                        ? new PublishOutcome.Retry(c, DELAY, "no", true)
                        : new PublishOutcome.Parked(c);
            case "b" -> new PublishOutcome.Dead(c, "poison", true);
            default -> new PublishOutcome.Published(c);
        });
        driver().append(event("d", 1));
        driver().claim(lanes);
        driver().append(event("e", 1));

        for (EventState state : EventState.values()) {
            List<EventRecord> found = backend().view().events(EventFilter.ALL.state(state), 10);
            assertThat(found).allSatisfy(record -> assertThat(record.state()).isEqualTo(state));
            assertThat(found).hasSize(state == EventState.DISCARDED ? 0 : state == EventState.PENDING ? 2 : 1);
        }
        assertThat(backend().view().events(EventFilter.ALL, 100)).hasSize(6).doesNotHaveDuplicates();
    }

    @Test
    void aReplayedDeadLetterIsPublished() {
        Event dead = kill("a", false);
        Map<Integer, Lease> lanes = driver().takeLanes("r2");

        assertThat(backend().deadLetters().matching(EventFilter.ALL.key("a"), 10))
                .containsExactly(dead.id());
        assertThat(backend().deadLetters().replay(List.of(dead.id()), DECISION)).containsExactly(dead.id());

        List<ClaimedEvent> claims = driver().claim(lanes);
        assertThat(claims)
                .singleElement()
                .satisfies(c -> assertThat(c.retryCount()).isZero());
        driver().settle(lanes, claims, PublishOutcome.Published::new);
        assertThat(driver().state(dead)).isEqualTo(EventState.PUBLISHED);
        assertThat(backend().view().status().deadLetters()).isZero();
    }

    @Test
    void aDeadLetterIsReplayedToAnotherTopic() {
        Event dead = kill("a", false);
        Event other = event("b", 1);
        driver().append(other);

        assertThat(backend().deadLetters().replayTo("right.topic", List.of(dead.id(), other.id()), DECISION))
                .containsExactly(dead.id());

        Map<Integer, Lease> lanes = driver().takeLanes("r2");
        assertThat(driver().claim(lanes))
                .extracting(claimed -> claimed.event().destination())
                .containsExactlyInAnyOrder("right.topic", other.destination());
        assertThat(backend().view().history(dead.id())).singleElement().satisfies(entry -> {
            assertThat(entry.action()).isEqualTo("replay");
            assertThat(entry.reason()).isEqualTo("broker limit raised (topic set to right.topic)");
        });
    }

    /** Appends an event of the key and makes it a dead letter, then releases all lanes. */
    private Event kill(String key, boolean blocks) {
        Event dead = event(key, 1);
        driver().append(dead);
        Map<Integer, Lease> lanes = driver().takeLanes("killer");
        driver().settle(lanes, driver().claim(lanes), c -> new PublishOutcome.Dead(c, "poison", blocks));
        backend().store().leave("killer");
        return dead;
    }

    @Test
    void discardingABlockingDeadLetterUnblocksItsKey() {
        Event dead = kill("a", true);
        driver().append(event("a", 2));
        Map<Integer, Lease> lanes = driver().takeLanes("r2");
        assertThat(driver().drain(lanes)).isEmpty();

        backend().deadLetters().discard(List.of(dead.id()), DECISION);

        assertThat(names(driver().drain(lanes))).containsExactly("a2");
        assertThat(driver().state(dead)).isEqualTo(EventState.DISCARDED);
    }

    @Test
    void replayingABlockingDeadLetterKeepsTheOrder() {
        Event dead = kill("a", true);
        driver().append(event("a", 2));
        Map<Integer, Lease> lanes = driver().takeLanes("r2");
        driver().drain(lanes);

        backend().deadLetters().replay(List.of(dead.id()), DECISION);

        assertThat(names(driver().drain(lanes))).containsExactly("a1", "a2");
    }

    @Test
    void deadLettersOfOneKeyAreReplayedInOrderEvenWhenTheFirstFailsAgain() {
        driver().append(event("a", 1), event("a", 2), event("a", 3));
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        driver().settle(lanes, driver().claim(lanes), c -> new PublishOutcome.Dead(c, "poison", false));
        List<UUID> dead = backend().deadLetters().matching(EventFilter.ALL, 10);
        backend().deadLetters().replay(dead, DECISION);

        List<ClaimedEvent> first = driver().claim(lanes);
        assertThat(names(first)).containsExactly("a1");
        driver().settle(lanes, first, c -> new PublishOutcome.Retry(c, DELAY, "again", true));
        assertThat(driver().drain(lanes)).isEmpty();
        backend().age(DELAY.plusSeconds(1));

        assertThat(names(driver().drain(driver().takeLanes("r2")))).containsExactly("a1", "a2", "a3");
    }

    @Test
    void everyActionLeavesOneAuditRow() {
        Event dead = kill("a", false);
        backend().deadLetters().replay(List.of(dead.id()), DECISION);
        backend().deadLetters().replay(List.of(dead.id()), DECISION);

        List<AuditEntry> history = backend().view().history(dead.id());

        assertThat(history)
                .as("audit entries; the second replay found no dead letter")
                .singleElement()
                .satisfies(entry -> {
                    assertThat(entry.actor()).isEqualTo("ann");
                    assertThat(entry.action()).isEqualTo("replay");
                    assertThat(entry.reason()).isEqualTo("broker limit raised");
                    assertThat(entry.events()).isEqualTo(1);
                });
    }

    @Test
    void onlyDeadLettersCanBeReplayedOrDiscarded() {
        Event pending = event("a", 1);
        driver().append(pending);

        assertThat(backend().deadLetters().replay(List.of(pending.id()), DECISION))
                .isEmpty();
        assertThat(backend().deadLetters().discard(List.of(pending.id(), UUID.randomUUID()), DECISION))
                .isEmpty();
        assertThat(driver().state(pending)).isEqualTo(EventState.PENDING);
    }

    @Test
    void anActionNeedsAReasonAndIsBounded() {
        assertThatThrownBy(() -> new DeadLetters.Decision("ann", " ")).hasMessageContaining("reason");
        List<UUID> tooMany = IntStream.rangeClosed(0, DeadLetters.LARGEST_BULK)
                .mapToObj(n -> UUID.randomUUID())
                .toList();
        assertThatThrownBy(() -> backend().deadLetters().discard(tooMany, DECISION))
                .isInstanceOf(WaybillException.class)
                .hasMessageContaining("1000");
    }

    @Test
    void retentionRemovesOnlyCompletedEvents() {
        Event dead = kill("dead", false);
        Event discarded = kill("discarded", false);
        backend().deadLetters().discard(List.of(discarded.id()), DECISION);
        Event published = event("p", 1);
        driver().append(published);
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        driver().drain(lanes);
        backend().age(Duration.ofDays(8));
        Event open = event("o", 1);
        driver().append(open);
        driver().append(event("young", 1));
        driver().drain(driver().takeLanes("r2"));
        driver().append(event("later", 1));

        assertThat(backend().store().prune(Duration.ofDays(7), 1)).isEqualTo(1);
        assertThat(backend().store().prune(Duration.ofDays(7), 100)).isEqualTo(1);
        assertThat(backend().store().prune(Duration.ofDays(7), 100)).isZero();

        assertThat(backend().view().event(published.id())).isEmpty();
        assertThat(backend().view().event(discarded.id())).isEmpty();
        assertThat(driver().state(dead)).isEqualTo(EventState.DEAD_LETTER);
        assertThat(backend().view().events(EventFilter.ALL, 100)).hasSize(4);
    }
}
