package io.waybill.saga;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.inbox.Handler;
import io.waybill.saga.participant.Answer;
import io.waybill.saga.participant.SagaParticipant;
import io.waybill.saga.store.HistoryEntry;
import io.waybill.saga.store.HistoryKind;
import io.waybill.saga.test.MemoryTransaction;
import io.waybill.saga.test.SagaScenario;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A saga of six steps over participants whose effects are not idempotent: each one is an event {@code did.*} or {@code undid.*} in the
 * outbox, which rolls back with its transaction.
 */
final class Warehouse {
    static final List<String> UNDOABLE = List.of("a", "b", "c", "d");
    private static final Map<String, List<String>> AFTER =
            Map.of("a", List.of(), "b", List.of("a"), "c", List.of("a"), "d", List.of("b", "c"));

    private Warehouse() {}

    /** a, then b and c beside each other, then d, then the pivot, then a retriable step; c is local work. */
    static SagaScenario<Steps> scenario(String refusing) {
        AtomicReference<SagaScenario<Steps>> self = new AtomicReference<>();
        StepBuilder<Steps> a =
                Steps.undoable(Saga.named("warehouse", Steps.class).step("a"), "a");
        StepBuilder<Steps> b = Steps.undoable(a.then("b"), "b");
        StepBuilder<Steps> c = b.step("c")
                .local(MemoryTransaction.class, (transaction, steps) -> {
                    if (refusing.equals("c")) {
                        throw new RefusedException("c.refused");
                    }
                    requireNonNull(self.get()).store().outbox().append(transaction, List.of(effect("did.c")));
                    return steps.with("c");
                })
                .localCompensation(MemoryTransaction.class, (transaction, steps) -> {
                    requireNonNull(self.get()).store().outbox().append(transaction, List.of(effect("undid.c")));
                    return steps.with("-c");
                })
                .after("a");
        Saga<Steps> saga = Steps.undoable(c.step("d"), "d")
                .after("b", "c")
                .then("pay")
                .command(steps -> Steps.command("pay.do"))
                .onReply("pay.done")
                .onRefusal("pay.refused")
                .timeout(Duration.ofHours(1))
                .pivot()
                .then("ship")
                .command(steps -> Steps.command("ship.do"))
                .onReply("ship.done")
                .timeout(Duration.ofSeconds(3))
                .retriable()
                .build();
        SagaScenario<Steps> scenario = SagaScenario.of(saga, Steps.NONE);
        self.set(scenario);
        SagaParticipant<MemoryTransaction> participant = SagaParticipant.of(
                "all", scenario.store().commands(), scenario.store().outbox());
        for (String step : List.of("a", "b", "d", "pay", "ship")) {
            scenario.participant(step + ".do", command(scenario, participant, step, refusing));
            scenario.participant(step + ".undo", participant.compensation(step + ".undone", (transaction, event) -> {
                scenario.store().outbox().append(transaction, List.of(effect("undid." + step)));
                return Map.of();
            }));
        }
        return scenario;
    }

    private static Handler<MemoryTransaction> command(
            SagaScenario<Steps> scenario,
            SagaParticipant<MemoryTransaction> participant,
            String step,
            String refusing) {
        return participant.command((transaction, event) -> {
            if (step.equals(refusing)) {
                return Answer.refused(step + ".refused", event.key(), Map.of());
            }
            scenario.store().outbox().append(transaction, List.of(effect("did." + step)));
            return Answer.done(step + ".done", event.key(), Map.of());
        });
    }

    private static Event effect(String what) {
        return Event.of(what, "Effect", "key-1", "{}");
    }

    /** I8: one end state; all effects or none; each compensation once, after those of the dependants. */
    static void requireConsistent(SagaScenario<Steps> scenario) {
        List<String> effects = scenario.store().events().stream()
                .map(Event::type)
                .filter(type -> type.startsWith("did.") || type.startsWith("undid."))
                .toList();
        assertThat(effects).doesNotHaveDuplicates();
        assertThat(scenario.history())
                .extracting(HistoryEntry::kind)
                .filteredOn(HistoryKind.ENDED::equals)
                .hasSize(1);
        if (scenario.stored().status() == SagaStatus.COMPLETED) {
            assertThat(effects).containsExactlyInAnyOrder("did.a", "did.b", "did.c", "did.d", "did.pay", "did.ship");
            return;
        }
        scenario.expectStatus(SagaStatus.ROLLED_BACK);
        assertThat(effects).doesNotContain("did.pay", "did.ship");
        for (String step : UNDOABLE) {
            assertThat(effects.contains("undid." + step)).isEqualTo(effects.contains("did." + step));
            for (String before : AFTER.getOrDefault(step, List.of())) {
                if (effects.contains("undid." + step) && effects.contains("undid." + before)) {
                    assertThat(effects.indexOf("undid." + step)).isLessThan(effects.indexOf("undid." + before));
                }
            }
        }
    }
}
