package io.waybill.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.bench.load.Entry;
import io.waybill.bench.load.KeyDistribution;
import io.waybill.bench.load.Load;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Shows that the checker finds each kind of violation and reports nothing else. */
class DeliveryCheckerTest {
    private final Load load = new Load(KeyDistribution.ONE_KEY, 10, 256);
    private final SplittableRandom random = new SplittableRandom(1);
    private final List<Entry> entries = IntStream.range(0, 3)
            .mapToObj(number -> load.next(number, random, 0, 1))
            .toList();

    @Test
    void everythingInOrderPasses() {
        DeliveryCheck verdict = check(true, 0, 1, 2);
        assertThat(verdict.passed()).isTrue();
        assertThat(verdict).hasToString("ok");
    }

    @Test
    void aLostEventFails() {
        DeliveryCheck verdict = check(true, 0, 2);
        assertThat(verdict.passed()).isFalse();
        assertThat(verdict).hasToString("1 lost");
    }

    @Test
    void aRepeatedEventIsShownAndPasses() {
        DeliveryCheck verdict = check(true, 0, 1, 0, 2);
        assertThat(verdict.passed()).isTrue();
        assertThat(verdict).hasToString("1 repeated");
    }

    @Test
    void anEventBehindItsSuccessorFailsWhereOrderIsPromised() {
        assertThat(check(true, 0, 2, 1).misordered()).isOne();
        assertThat(check(true, 0, 2, 1).passed()).isFalse();
        assertThat(check(false, 0, 2, 1).passed()).isTrue();
    }

    @Test
    void anEventThatWasRolledBackFails() {
        DeliveryChecker checker = new DeliveryChecker(3, true);
        entries.forEach(entry -> checker.see(entry.key(), entry.payload()));
        Entry ghost = load.next(3, random, 0, 1);
        checker.see(ghost.key(), ghost.payload());
        checker.see("agg-0", "something else");
        assertThat(checker.verdict().ghosts()).isEqualTo(2);
        assertThat(checker.verdict().passed()).isFalse();
    }

    @Test
    void aWrongKeyFails() {
        DeliveryChecker checker = new DeliveryChecker(1, true);
        checker.see("agg-7", entries.get(0).payload());
        assertThat(checker.verdict()).hasToString("1 with a wrong key");
        assertThat(checker.verdict().passed()).isFalse();
    }

    @Test
    void anEnvelopeDoesNotHideAnEvent() {
        DeliveryChecker checker = new DeliveryChecker(1, true);
        checker.see("agg-0", "{\"eventId\":\"1\",\"data\":" + entries.get(0).payload() + "}");
        assertThat(checker.verdict().passed()).isTrue();
    }

    private DeliveryCheck check(boolean ordered, int... arriving) {
        DeliveryChecker checker = new DeliveryChecker(entries.size(), ordered);
        for (int number : arriving) {
            checker.see(entries.get(number).key(), entries.get(number).payload());
        }
        return checker.verdict();
    }
}
