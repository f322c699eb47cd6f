package io.waybill.testkit.store;

import static io.waybill.testkit.store.StoreDriver.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.admin.Action;
import io.waybill.admin.AuditEntry;
import io.waybill.admin.AuditFilter;
import io.waybill.admin.BlockedKey;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventRecord;
import io.waybill.admin.EventState;
import io.waybill.admin.FailureGroups;
import io.waybill.admin.OutboxSearch;
import io.waybill.admin.Page;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Lists for operators, in pages. */
interface SearchTests extends StoreTests {
    private OutboxSearch search() {
        return backend().search();
    }

    /** Returns the items of all pages. Fails if the pages do not end. */
    private static <T> List<T> all(Function<@Nullable String, Page<T>> read) {
        List<T> items = new ArrayList<>();
        String cursor = null;
        for (int pages = 0; pages < 1_000; pages++) {
            Page<T> page = read.apply(cursor);
            items.addAll(page.items());
            cursor = page.next();
            if (cursor == null) {
                return items;
            }
        }
        throw new AssertionError("the pages do not end");
    }

    private List<UUID> ids(EventFilter filter, int limit) {
        return all(cursor -> search().events(filter, cursor, limit)).stream()
                .map(record -> record.event().id())
                .toList();
    }

    /** Appends events in every state: a1 is retried, a2 is parked, b is dead, c blocks its key, d is published, e is claimed, f is new. */
    private List<Event> everyState() {
        List<Event> events = List.of(
                event("a", 1),
                event("a", 2),
                event("b", 1),
                event("c", 1),
                event("d", 1),
                event("e", 1),
                event("f", 1));
        driver().append(events.subList(0, 5).toArray(Event[]::new));
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        driver().settle(lanes, driver().claim(lanes), c -> switch (c.event().key()) {
            case "a" ->
                StoreDriver.number(c) == 1
                        ? new PublishOutcome.Retry(c, DELAY, "Broker 10.0.0.1:9092 refused 'x' after 17 ms", true)
                        : new PublishOutcome.Parked(c);
            case "b" -> new PublishOutcome.Dead(c, "Payload 17 is too large", false);
            case "c" -> new PublishOutcome.Dead(c, "Payload 18 is too large", true);
            default -> new PublishOutcome.Published(c);
        });
        driver().append(events.get(5));
        driver().claim(lanes);
        driver().append(events.get(6));
        return events;
    }

    @Test
    default void pagesOfAnySizeContainEveryEventOnce() {
        List<UUID> expected = everyState().stream().map(Event::id).toList();
        for (int limit : List.of(1, 2, 3, 100)) {
            assertThat(ids(EventFilter.ALL, limit))
                    .as("pages of %s", limit)
                    .containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    @Test
    default void aPageHasANextPageUntilEverythingWasListed() {
        everyState();
        Page<EventRecord> first = search().events(EventFilter.ALL, null, 3);
        assertThat(first.items()).hasSize(3);
        assertThat(first.next()).isNotNull();
        assertThat(search().events(EventFilter.ALL, null, 100).next()).isNull();
        assertThatThrownBy(() -> search().events(EventFilter.ALL, "nonsense", 3))
                .isInstanceOf(WaybillException.class)
                .hasMessageContaining("cursor");
    }

    @Test
    default void everyStateIsListedInPages() {
        List<Event> events = everyState();
        Map<EventState, List<Event>> expected = Map.of(
                EventState.PENDING, List.of(events.get(0), events.get(6)),
                EventState.PARKED, List.of(events.get(1)),
                EventState.DEAD_LETTER, List.of(events.get(2), events.get(3)),
                EventState.PUBLISHED, List.of(events.get(4)),
                EventState.CLAIMED, List.of(events.get(5)),
                EventState.DISCARDED, List.of());
        expected.forEach((state, inState) -> assertThat(ids(EventFilter.ALL.state(state), 1))
                .as(state.name())
                .containsExactlyInAnyOrderElementsOf(
                        inState.stream().map(Event::id).toList()));
        assertThat(ids(EventFilter.ALL.states(Set.of(EventState.PARKED, EventState.PUBLISHED)), 1))
                .containsExactlyInAnyOrder(events.get(1).id(), events.get(4).id());
    }

    @Test
    default void eventsAreFoundByTopicErrorTraceAndBeginningOfTheType() {
        String trace = "0af7651916cd43dd8448eb211c80319c";
        Event traced = Event.builder("order.placed", "Order", "t")
                .payload("{}")
                .header("traceparent", "00-" + trace + "-b7ad6b7169203331-01")
                .topic("orders_a")
                .build();
        Event other = Event.builder("payment.taken", "Payment", "p")
                .payload("{}")
                .topic("ordersXa")
                .build();
        List<Event> events = everyState();
        driver().append(traced, other);

        assertThat(ids(EventFilter.ALL.topic("orders_a"), 2)).containsExactly(traced.id());
        assertThat(ids(EventFilter.ALL.topic("payment.taken"), 2)).isEmpty();
        assertThat(ids(EventFilter.ALL.topic("order.placed"), 2)).hasSize(events.size());
        assertThat(ids(EventFilter.ALL.traceId(trace), 2)).containsExactly(traced.id());
        assertThat(ids(EventFilter.ALL.traceId("b7ad6b71"), 2)).isEmpty();
        assertThat(ids(EventFilter.ALL.type("pay*"), 2)).containsExactly(other.id());
        assertThat(ids(EventFilter.ALL.type("pa_*"), 2)).isEmpty();
        assertThat(ids(EventFilter.ALL.type("pay"), 2)).isEmpty();
        assertThat(ids(EventFilter.ALL.error("IS TOO large"), 1))
                .containsExactlyInAnyOrder(events.get(2).id(), events.get(3).id());
        assertThat(ids(EventFilter.ALL.error("%"), 1)).isEmpty();
    }

    /** The list without pages has the same filters. */
    @Test
    default void theListWithoutPagesHasTheSameFilters() {
        List<Event> events = everyState();
        assertThat(backend().view().events(EventFilter.ALL.error("too LARGE"), 10))
                .hasSize(2);
        assertThat(backend().view().events(EventFilter.ALL.type("order.*"), 10)).hasSize(events.size());
        assertThat(backend().view().events(EventFilter.ALL.topic("elsewhere"), 10))
                .isEmpty();
        assertThat(backend().view().events(EventFilter.ALL.states(Set.of(EventState.PARKED, EventState.PUBLISHED)), 10))
                .hasSize(2);
    }

    @Test
    default void theTrailOfAKeyContainsItsEventsOnly() {
        List<Event> events = everyState();
        Event later = event("d", 2);
        driver().append(later);
        assertThat(all(cursor -> search().trail("d", cursor, 1)))
                .extracting(record -> record.event().id())
                .containsExactlyInAnyOrder(events.get(4).id(), later.id());
        assertThat(all(cursor -> search().trail("no such key", cursor, 1))).isEmpty();
    }

    @Test
    default void failuresAreGroupedByTheirNormalisedMessage() {
        List<Event> events = everyState();
        FailureGroups failures = search().failureGroups();

        assertThat(failures.complete()).isTrue();
        assertThat(failures.examined()).isEqualTo(3);
        assertThat(failures.groups()).hasSize(2);
        FailureGroups.Group largest = failures.groups().get(0);
        assertThat(largest.error()).isEqualTo("Payload <number> is too large");
        assertThat(largest.deadLetters()).isEqualTo(2);
        assertThat(largest.retrying()).isZero();
        assertThat(largest.type()).isEqualTo("order.placed");
        assertThat(List.of(events.get(2).id(), events.get(3).id())).contains(largest.sample());
        FailureGroups.Group other = failures.groups().get(1);
        assertThat(other.error()).isEqualTo("Broker <address> refused <value> after <number> ms");
        assertThat(other.sampleError()).isEqualTo("Broker 10.0.0.1:9092 refused 'x' after 17 ms");
        assertThat(other.retrying()).isEqualTo(1);
    }

    @Test
    default void blockedKeysShowTheirFirstEventAndCountTheParkedOnes() {
        List<Event> events = everyState();
        List<BlockedKey> keys = all(cursor -> search().blockedKeys(cursor, 1));

        assertThat(keys).extracting(BlockedKey::key).containsExactly("a", "c");
        assertThat(keys.get(0)).satisfies(key -> {
            assertThat(key.id()).isEqualTo(events.get(0).id());
            assertThat(key.cause()).isEqualTo(BlockedKey.Cause.RETRYING);
            assertThat(key.parked()).isEqualTo(1);
            assertThat(key.attempts()).isEqualTo(1);
            assertThat(key.nextAttemptAt()).isNotNull();
        });
        assertThat(keys.get(1)).satisfies(key -> {
            assertThat(key.cause()).isEqualTo(BlockedKey.Cause.DEAD_LETTER);
            assertThat(key.parked()).isZero();
            assertThat(key.nextAttemptAt()).isNull();
            assertThat(key.error()).isEqualTo("Payload 18 is too large");
        });
    }

    @Test
    default void theAuditIsListedNewestFirst() {
        List<Event> events = everyState();
        Action first = new Action("ann", "first", null, "10.0.0.9");
        backend().actions().replay(List.of(events.get(2).id()), first);
        backend().actions().discard(List.of(events.get(3).id()), new Action("bob", "second"));
        backend().actions().recordRefusal("discard", "key c", new Action("eve", "not allowed"));

        List<AuditEntry> audit = all(cursor -> search().audit(AuditFilter.ALL, cursor, 1));

        assertThat(audit).extracting(AuditEntry::actor).containsExactly("eve", "bob", "ann");
        assertThat(audit).extracting(AuditEntry::refused).containsExactly(true, false, false);
        assertThat(audit.get(0).detail()).isEqualTo("key c");
        assertThat(audit.get(2).origin()).isEqualTo("10.0.0.9");
        assertThat(search().audit(new AuditFilter("bob", null, null), null, 5).items())
                .hasSize(1);
        assertThat(search().audit(new AuditFilter(null, "discard", false), null, 5)
                        .items())
                .extracting(AuditEntry::actor)
                .containsExactly("bob");
    }
}
