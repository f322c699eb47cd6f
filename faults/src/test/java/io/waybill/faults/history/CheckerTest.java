package io.waybill.faults.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.faults.history.History.Result;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Shows that the checker can fail: each test puts one violation into a correct history. */
class CheckerTest {
    private final History history = new History();
    private final Set<UUID> committed = new HashSet<>();
    private final Set<UUID> dead = new HashSet<>();
    private final List<Written> a = committed("a", 4);
    private final List<Written> b = committed("b", 2);
    private final List<Delivered> topic = new ArrayList<>(List.of(
            delivered(a.get(0)),
            delivered(b.get(0)),
            delivered(a.get(1)),
            delivered(a.get(2)),
            delivered(b.get(1)),
            delivered(a.get(3))));

    @Test
    void aCorrectHistoryHasNoViolation() {
        HistoryVerdict verdict = check();
        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.numbers())
                .isEqualTo("attempted=6 committed=6 delivered=6 dead=0 lost=0 ghost=0 corrupt=0 misordered=0"
                        + " duplicates=0 unkept=0 revoked=0");
    }

    @Test
    void anEventLostInAFailoverIsRevokedAndNoGhost() {
        Written forgotten = Written.of("t", "a", 5, "x", Map.of());
        Written undone = Written.of("t", "a", 6, "x", Map.of());
        history.tell(List.of(forgotten), Result.OK);
        history.tell(List.of(undone), Result.FAIL);
        topic.addAll(List.of(delivered(forgotten), delivered(undone)));
        HistoryVerdict verdict = Checker.check(history.attempts(), committed, Set.of(forgotten.id()), topic, dead);
        assertThat(verdict.revoked()).containsExactly(forgotten.toString());
        assertThat(verdict.unkept()).containsExactly(forgotten.toString());
        assertThat(verdict.ghosts()).containsExactly(undone.toString());
    }

    @Test
    void aLostEventIsFound() {
        topic.remove(5);
        assertThat(check().lost()).containsExactly(a.get(3).toString());
    }

    @Test
    void aLostEventInTheMiddleIsMisorderedToo() {
        topic.remove(2);
        assertThat(check().lost()).hasSize(1);
        assertThat(check().misordered()).singleElement().asString().contains("a#3", "was delivered before #2");
    }

    @Test
    void aRolledBackEventOnTheTopicIsAGhost() {
        Written undone = Written.of("t", "a", 5, "x", Map.of());
        history.tell(List.of(undone), Result.FAIL);
        topic.add(delivered(undone));
        assertThat(check().ghosts()).containsExactly(undone.toString());
    }

    @Test
    void anUnknownEventIsAGhost() {
        topic.add(new Delivered(UUID.randomUUID(), "a", "{}", Map.of()));
        assertThat(check().ghosts()).hasSize(1);
    }

    @Test
    void swappedEventsOfAKeyAreFound() {
        Collections.swap(topic, 2, 3);
        assertThat(check().misordered()).hasSize(2);
    }

    @Test
    void aDelayedEventIsFound() {
        topic.add(topic.remove(2));
        assertThat(check().misordered()).hasSize(2);
        assertThat(check().lost()).isEmpty();
    }

    @Test
    void eventsOfDifferentKeysMaySwapPlaces() {
        Collections.swap(topic, 1, 2);
        assertThat(check().violations()).isEmpty();
    }

    @Test
    void repeatedDeliveriesAreOnlyCounted() {
        topic.add(4, delivered(a.get(1)));
        topic.add(5, delivered(a.get(2)));
        HistoryVerdict verdict = check();
        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.duplicates()).isEqualTo(2);
    }

    @Test
    void aMissingEventAfterRepeatedDeliveriesIsFound() {
        topic.add(3, delivered(a.get(0)));
        Collections.swap(topic, 4, 6);
        assertThat(check().misordered()).isNotEmpty();
    }

    @Test
    void anAlteredPayloadIsFound() {
        topic.set(
                0,
                new Delivered(
                        a.get(0).id(), "a", a.get(0).payload() + " ", a.get(0).headers()));
        assertThat(check().corrupt()).hasSize(1);
    }

    @Test
    void aChangedKeyIsFound() {
        topic.set(
                0,
                new Delivered(a.get(0).id(), "b", a.get(0).payload(), a.get(0).headers()));
        assertThat(check().corrupt()).hasSize(1);
    }

    @Test
    void aMissingHeaderIsFoundAndAnAdditionalOneIsAllowed() {
        topic.set(0, new Delivered(a.get(0).id(), "a", a.get(0).payload(), Map.of("more", "1")));
        topic.set(1, new Delivered(b.get(0).id(), "b", b.get(0).payload(), Map.of("h", "1", "more", "1")));
        assertThat(check().corrupt()).hasSize(1);
    }

    @Test
    void aDeadLetterIsNotLostAndLeavesNoGap() {
        dead.add(a.get(1).id());
        topic.remove(2);
        HistoryVerdict verdict = check();
        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.deadLetters()).isEqualTo(1);
    }

    @Test
    void anUnknownCommitIsResolvedByTheDatabase() {
        Written kept = Written.of("t", "c", 1, "x", Map.of());
        Written dropped = Written.of("t", "c", 2, "x", Map.of());
        history.tell(List.of(kept, dropped), Result.UNKNOWN);
        committed.add(kept.id());
        assertThat(check().lost()).containsExactly(kept.toString());
    }

    @Test
    void aRecordThatContradictsTheDatabaseIsFound() {
        Written wrong = Written.of("t", "c", 1, "x", Map.of());
        history.tell(List.of(wrong), Result.FAIL);
        committed.add(wrong.id());
        assertThat(check().undone()).hasSize(1);
    }

    @Test
    void aCommitLostByTheDatabaseIsReportedButNoViolation() {
        history.tell(List.of(Written.of("t", "c", 1, "x", Map.of())), Result.OK);
        HistoryVerdict verdict = check();
        assertThat(verdict.unkept()).hasSize(1);
        assertThat(verdict.violations()).isEmpty();
    }

    private List<Written> committed(String key, int count) {
        List<Written> events = new ArrayList<>();
        for (int n = 1; n <= count; n++) {
            events.add(Written.of("t", key, n, "x", Map.of("h", "1")));
        }
        history.tell(events, Result.OK);
        events.forEach(event -> committed.add(event.id()));
        return events;
    }

    private static Delivered delivered(Written event) {
        return new Delivered(event.id(), event.key(), event.payload(), event.headers());
    }

    private HistoryVerdict check() {
        return Checker.check(history.attempts(), committed, topic, dead);
    }
}
