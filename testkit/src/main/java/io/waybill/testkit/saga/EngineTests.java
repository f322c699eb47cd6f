package io.waybill.testkit.saga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.waybill.Event;
import io.waybill.saga.Command;
import io.waybill.saga.Saga;
import io.waybill.saga.SagaStatus;
import io.waybill.saga.Sagas;
import io.waybill.saga.StepStatus;
import io.waybill.saga.admin.SagaFilter;
import io.waybill.saga.store.HistoryKind;
import io.waybill.saga.store.SagaRecord;
import io.waybill.saga.test.SagaScenario;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Whole sagas on the store under test: outcomes, races between an engine and a reply, and two engines. */
interface EngineTests<T> extends SagaTests<T> {
    Duration AN_HOUR = Duration.ofHours(1);
    Pattern TIME = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z");
    String LONG_NOTE = "ä'\\\u0001✓ ".repeat(150_000);

    /** A command with a reply, undone by local work; then a pivot. */
    private Saga<String> saga(List<String> effects) {
        return saga(effects, Duration.ofSeconds(60));
    }

    private Saga<String> saga(List<String> effects, Duration timeout) {
        return Saga.named("engine", String.class)
                .step("reserve")
                .command(data -> Command.to("reserve", "1", data))
                .onReply("reserved")
                .onRefusal("missing")
                .timeout(timeout)
                .attempts(1)
                .localCompensation(data -> {
                    effects.add("released");
                    return data;
                })
                .then("pay")
                .command(data -> Command.to("pay", "1", "{}"))
                .onReply("paid")
                .onRefusal("declined")
                .timeout(Duration.ofSeconds(60))
                .pivot()
                .build();
    }

    private Sagas<T> engine(Saga<?> saga, List<Event> outbox) {
        return Sagas.builder(store(), (transaction, events) -> outbox.addAll(events))
                .add(saga)
                .longestPause(Duration.ofMillis(20))
                .build();
    }

    private void reply(Sagas<T> engine, Event command, String type) {
        Event reply = SagaScenario.answer(command, type, "{}");
        in(transaction -> {
            try {
                engine.replies().handle(transaction, reply);
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            return reply;
        });
    }

    private SagaRecord record(String key) {
        return store().view().find("engine", key).orElseThrow();
    }

    @Test
    default void aSagaCompletesWithLargeData() {
        List<Event> outbox = new ArrayList<>();
        Saga<String> saga = saga(new ArrayList<>());
        Sagas<T> engine = engine(saga, outbox);
        engine.start(saga, "1", "{\"note\":\"" + LONG_NOTE.replace("\\", "\\\\").replace("\u0001", "") + "\"}");
        reply(engine, outbox.get(0), "reserved");
        reply(engine, outbox.get(1), "paid");
        reply(engine, outbox.get(1), "paid");
        assertThat(record("1").status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(store().view().history(record("1").id()))
                .extracting("kind")
                .filteredOn(kind -> kind == HistoryKind.ENDED || kind == HistoryKind.STALE_REPLY)
                .containsExactly(HistoryKind.ENDED, HistoryKind.STALE_REPLY);
    }

    @Test
    default void aRefusedPivotUndoesTheStepBeforeIt() {
        List<Event> outbox = new ArrayList<>();
        List<String> effects = new ArrayList<>();
        Saga<String> saga = saga(effects);
        Sagas<T> engine = engine(saga, outbox);
        engine.start(saga, "1", "{}");
        reply(engine, outbox.get(0), "reserved");
        reply(engine, outbox.get(1), "declined");
        assertThat(engine.runOnce()).isEqualTo(1);
        assertThat(effects).containsExactly("released");
        assertThat(record("1").status()).isEqualTo(SagaStatus.ROLLED_BACK);
        assertThat(engine.runOnce()).isZero();
    }

    @Test
    default void aStartInARolledBackTransactionStartsNothing() {
        Saga<String> saga = saga(new ArrayList<>());
        Sagas<T> engine = engine(saga, new ArrayList<>());
        assertThatThrownBy(() -> in(transaction -> {
                    engine.start(transaction, saga, "1", "{}");
                    throw new IllegalStateException("rolled back");
                }))
                .hasMessage("rolled back");
        assertThat(store().view().find("engine", "1")).isEmpty();
    }

    /** S14 on real locks: a reply and the last time-out at the same time, in two transactions. */
    @Test
    default void aReplyAndATimeOutAtTheSameTimeHaveOneOutcome() throws Exception {
        List<String> effects = Collections.synchronizedList(new ArrayList<>());
        Saga<String> saga = saga(effects, Duration.ofMillis(1));
        int done = 0;
        int undone = 0;
        for (int i = 0; i < 10; i++) {
            List<Event> outbox = new ArrayList<>();
            Sagas<T> engine = engine(saga, outbox);
            engine.start(saga, "k" + i, "{}");
            effects.clear();
            CyclicBarrier both = new CyclicBarrier(2);
            Thread timer = new Thread(() -> {
                meet(both);
                engine.runOnce();
            });
            timer.start();
            meet(both);
            reply(engine, outbox.get(0), "reserved");
            timer.join();
            engine.runOnce();
            String state = record("k" + i).state();
            if (record("k" + i).status() == SagaStatus.EXECUTING) {
                done++;
                assertThat(state).contains(StepStatus.COMPLETED.name());
                assertThat(effects).isEmpty();
                reply(engine, outbox.get(1), "paid");
            } else {
                undone++;
                assertThat(record("k" + i).status()).isEqualTo(SagaStatus.ROLLED_BACK);
                assertThat(effects).containsExactly("released");
                assertThat(outbox).hasSize(1);
            }
        }
        assertThat(done + undone).isEqualTo(10);
    }

    private static void meet(CyclicBarrier both) {
        try {
            both.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** The clock of the database was set back by an hour after the saga was written. */
    private void writeAnHourAhead(UUID id) {
        in(transaction -> {
            SagaRecord saga = store().lock(transaction, id).orElseThrow().saga();
            Instant wakeAt = Objects.requireNonNull(saga.wakeAt());
            SagaRecord ahead = new SagaRecord(
                    saga.id(),
                    saga.name(),
                    saga.version(),
                    saga.businessKey(),
                    saga.status(),
                    saga.data(),
                    TIME.matcher(saga.state())
                            .replaceAll(time ->
                                    Instant.parse(time.group()).plus(AN_HOUR).toString()),
                    saga.headers(),
                    saga.parentId(),
                    saga.parentStep(),
                    saga.error(),
                    saga.stuck(),
                    wakeAt.plus(AN_HOUR),
                    saga.createdAt(),
                    saga.updatedAt().plus(AN_HOUR),
                    saga.endedAt(),
                    saga.revision() + 1);
            store().update(transaction, ahead, false, List.of(), List.of());
            return ahead;
        });
    }

    @Test
    default void aTimeOutDoesNotWaitForAClockThatWasSetBack() {
        List<String> effects = new ArrayList<>();
        Saga<String> saga = saga(effects, Duration.ofMillis(300));
        UUID id = engine(saga, new ArrayList<>()).start(saga, "1", "{}");
        writeAnHourAhead(id);
        Sagas<T> engine = engine(saga, new ArrayList<>());
        await("the time-out").atMost(Duration.ofMinutes(2)).until(() -> {
            engine.runOnce();
            return record("1").status() == SagaStatus.ROLLED_BACK;
        });
        assertThat(effects).containsExactly("released");
    }

    @Test
    default void aClockThatWasSetBackShortensNoTimeOut() {
        Saga<String> saga = saga(new ArrayList<>(), Duration.ofMinutes(20));
        UUID id = engine(saga, new ArrayList<>()).start(saga, "1", "{}");
        Instant end = Objects.requireNonNull(record("1").wakeAt());
        writeAnHourAhead(id);
        engine(saga, new ArrayList<>()).runOnce();
        assertThat(record("1").status()).isEqualTo(SagaStatus.EXECUTING);
        assertThat(record("1").wakeAt()).isBetween(end.minus(Duration.ofMinutes(1)), end.plus(Duration.ofMinutes(1)));
    }

    /** S15: each local step runs once, although both engines look for due sagas all the time. */
    @Test
    default void twoEnginesShareSagasAndRunEachStepOnce() {
        Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();
        Saga<String> saga = Saga.named("engine", String.class)
                .step("one")
                .local(key -> count(runs, key, "one"))
                .readOnly()
                .then("two")
                .external((key, call) -> count(runs, key, "two"))
                .readOnly()
                .then("three")
                .local(key -> count(runs, key, "three"))
                .readOnly()
                .build();
        List<Event> outbox = new ArrayList<>();
        try (Sagas<T> first = engine(saga, outbox);
                Sagas<T> second = engine(saga, outbox)) {
            first.start();
            second.start();
            for (int i = 0; i < 20; i++) {
                first.start(saga, "k" + i, "\"k" + i + "\"");
            }
            await("all sagas end")
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> store().view().list(SagaFilter.all(100)).stream()
                            .allMatch(record -> record.status() == SagaStatus.COMPLETED));
        }
        assertThat(runs)
                .hasSize(60)
                .allSatisfy((step, count) -> assertThat(count).hasValue(1));
    }

    private static String count(Map<String, AtomicInteger> runs, String key, String step) {
        runs.computeIfAbsent(key + step, name -> new AtomicInteger()).incrementAndGet();
        return key;
    }

    /** S16, by threads. */
    @Test
    default void oneKeyStartsOneSagaHoweverManyThreadsStartIt() throws Exception {
        Saga<String> saga = saga(new ArrayList<>());
        ConcurrentHashMap<Object, Boolean> ids = new ConcurrentHashMap<>();
        List<Event> outbox = Collections.synchronizedList(new ArrayList<>());
        Sagas<T> engine = engine(saga, outbox);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Thread thread = new Thread(() -> ids.put(engine.start(saga, "same", "{}"), true));
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(ids).hasSize(1);
        assertThat(outbox).hasSize(1);
    }
}
