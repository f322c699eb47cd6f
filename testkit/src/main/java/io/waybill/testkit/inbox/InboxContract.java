package io.waybill.testkit.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.admin.DeadLetters;
import io.waybill.inbox.FailureKind;
import io.waybill.inbox.FollowUps;
import io.waybill.inbox.Handler;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxBuilder;
import io.waybill.inbox.InboxListener;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.OutageException;
import io.waybill.inbox.PermanentException;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.inbox.VersionGuard;
import io.waybill.retry.RetryPolicy;
import io.waybill.store.StoreException;
import io.waybill.testkit.time.ManualClock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Duplicates, failures, order, versions and retention: what every store must make of them. */
@SuppressWarnings("NullAway.Init")
public abstract class InboxContract<T> {
    protected static final RetryPolicy THREE = new RetryPolicy(3, Duration.ofSeconds(10), Duration.ofMinutes(1));

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
    private static final int MOST_DELIVERIES = 1_000;

    private final Set<String> failing = ConcurrentHashMap.newKeySet();
    private final Set<String> hopeless = ConcurrentHashMap.newKeySet();
    private final ManualClock clock = ManualClock.standing();
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
                .on(Messages.TYPE, handler(group + " "))
                .deadLettersTo(backend.outbox())
                .pauseAfter(1_000)
                .ticker(clock)
                .retry(THREE);
    }

    /** Writes a line, then fails if told to: whatever it wrote must be gone. */
    private Handler<T> handler(String prefix) {
        return (transaction, event) -> {
            String text = Messages.text(event);
            backend.writeLedger(transaction, prefix + text);
            if (failing.contains(text)) {
                throw new IllegalStateException(text + " fails for now");
            }
            if (hopeless.contains(text)) {
                throw new PermanentException(text + " is hopeless");
            }
        };
    }

    private List<String> ledger(String group) {
        return backend.ledger().stream()
                .filter(line -> line.startsWith(group + " "))
                .map(line -> line.substring(group.length() + 1))
                .toList();
    }

    @Test
    void aRepeatedEventHasOneEffect() {
        ReceivedMessage message = Messages.of("1", "a");
        assertThat(inbox.handle(message)).isEqualTo(InboxOutcome.PROCESSED);
        assertThat(inbox.handle(message)).isEqualTo(InboxOutcome.DUPLICATE);
        assertThat(inbox.handle(List.of(message, message))).containsOnly(InboxOutcome.DUPLICATE);
        ReceivedMessage other = Messages.of("1", "b");
        assertThat(inbox.handle(List.of(other, message, other, Messages.of("1", "c"))))
                .containsExactly(
                        InboxOutcome.PROCESSED, InboxOutcome.DUPLICATE, InboxOutcome.DUPLICATE, InboxOutcome.PROCESSED);
        assertThat(ledger("stock")).containsExactly("a", "b", "c");
    }

    @Test
    void sixteenThreadsWithOneEventHaveOneEffect() throws Exception {
        for (int round = 0; round < 10; round++) {
            ReceivedMessage message = Messages.of("1", "round-" + round);
            assertThat(inParallel(16, () -> inbox.handle(message)))
                    .containsOnlyOnce(InboxOutcome.PROCESSED)
                    .containsOnly(InboxOutcome.PROCESSED, InboxOutcome.DUPLICATE);
        }
        assertThat(ledger("stock")).hasSize(10);
    }

    @Test
    void whenTheFirstOfManyThreadsRollsBackExactlyOneOfTheOthersSucceeds() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        Inbox<T> unlucky = Inbox.builder(backend.store(), "unlucky")
                .on(Messages.TYPE, (transaction, event) -> {
                    backend.writeLedger(transaction, "unlucky a");
                    if (attempts.incrementAndGet() == 1) {
                        throw new IllegalStateException("the first one fails");
                    }
                })
                .retry(THREE)
                .build();
        ReceivedMessage message = Messages.of("1", "a");
        inParallel(16, () -> unlucky.handle(message));
        backend.age(Duration.ofMinutes(1));
        unlucky.runDue();
        assertThat(ledger("unlucky")).containsExactly("a");
        assertThat(backend.view().status("unlucky").retrying()).isZero();
    }

    @Test
    void groupsInOneDatabaseDoNotKnowEachOther() {
        Inbox<T> mail = builder("mail").build();
        ReceivedMessage message = Messages.of("1", "a");
        assertThat(inbox.handle(message)).isEqualTo(InboxOutcome.PROCESSED);
        assertThat(mail.handle(message)).isEqualTo(InboxOutcome.PROCESSED);
        assertThat(backend.ledger()).containsExactly("stock a", "mail a");
    }

    @Test
    void aFailingHandlerLeavesNothingBehind() {
        failing.add("a");
        assertThat(inbox.handle(Messages.of("1", "a"))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        assertThat(backend.ledger()).isEmpty();
        assertThat(backend.marks("stock")).isZero();
    }

    @Test
    void anErrorRollsBackLikeAnException() {
        Inbox<T> broken = Inbox.builder(backend.store(), "broken")
                .on(Messages.TYPE, (transaction, event) -> {
                    backend.writeLedger(transaction, "broken a");
                    throw new StackOverflowError();
                })
                .build();
        assertThat(broken.handle(Messages.of("1", "a"))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        assertThat(backend.ledger()).isEmpty();
        assertThat(backend.marks("broken")).isZero();
    }

    @Test
    void eventsAppendedByAHandlerRollBackWithItAndElseCarryItsCause() {
        Inbox<T> emitting = Inbox.builder(backend.store(), "emitting")
                .on(Messages.TYPE, (transaction, event) -> {
                    FollowUps.of(event, backend.outbox())
                            .append(transaction, Event.of("stock.reserved", "Stock", "s", "{}"));
                    if (failing.contains(Messages.text(event))) {
                        throw new IllegalStateException("fails");
                    }
                })
                .build();
        failing.add("a");
        emitting.handle(Messages.of("1", "a"));
        assertThat(backend.appended()).isEmpty();

        Event cause = Messages.event("2", "b")
                .header(Headers.CORRELATION_ID, "order-7")
                .header(Headers.TRACEPARENT, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                .build();
        emitting.handle(Messages.of(cause));
        assertThat(backend.appended()).hasSize(1);
        assertThat(backend.appended().get(0).headers())
                .containsEntry(Headers.CORRELATION_ID, "order-7")
                .containsEntry(Headers.CAUSATION_ID, cause.id().toString())
                .containsKey(Headers.TRACEPARENT);
    }

    @Test
    void aTransientFailureIsTriedAgainWhenItIsDueAndNotBefore() {
        failing.add("a");
        inbox.handle(Messages.of("1", "a"));
        failing.clear();
        assertThat(inbox.runDue()).as("not due yet").isZero();
        backend.age(Duration.ofSeconds(30));
        assertThat(inbox.runDue()).isEqualTo(1);
        assertThat(ledger("stock")).containsExactly("a");
        assertThat(backend.view().status("stock").retrying()).isZero();
    }

    @Test
    void theBackOffDoublesAndTheLimitLeadsToOneDeadLetter() {
        failing.add("a");
        ReceivedMessage message = Messages.of("1", "a");
        inbox.handle(message);
        backend.age(Duration.ofSeconds(13));
        assertThat(inbox.runDue()).as("second attempt, after about 10 s").isEqualTo(1);
        backend.age(Duration.ofSeconds(13));
        assertThat(inbox.runDue()).as("the pause has doubled").isZero();
        backend.age(Duration.ofSeconds(13));
        assertThat(inbox.runDue()).as("third and last attempt").isEqualTo(1);

        assertThat(backend.deadLetters().list("stock", io.waybill.admin.EventFilter.ALL, 10))
                .singleElement()
                .satisfies(letter -> {
                    assertThat(letter.attempts()).isEqualTo(3);
                    assertThat(letter.error()).isEqualTo("a fails for now");
                    assertThat(letter.errorClass()).isEqualTo("java.lang.IllegalStateException");
                    assertThat(letter.message().value()).isEqualTo(message.value());
                });
        assertThat(backend.appended()).hasSize(1);
        assertThat(inbox.handle(message)).as("redelivered").isEqualTo(InboxOutcome.DUPLICATE);
        assertThat(backend.appended()).hasSize(1);
        assertThat(backend.ledger()).isEmpty();
    }

    @Test
    void aPermanentFailureIsADeadLetterAtOnce() {
        hopeless.add("a");
        assertThat(inbox.handle(Messages.of("1", "a"))).isEqualTo(InboxOutcome.DEAD_LETTERED);
        assertThat(inbox.handle(Messages.of("1", "b"))).as("its key goes on").isEqualTo(InboxOutcome.PROCESSED);
        assertThat(backend.view().status("stock").deadLetters()).isEqualTo(1);
    }

    @Test
    void errorsAreClassifiedAsTheUserSays() {
        Inbox<T> picky = builder("picky")
                .classify(
                        error -> error instanceof IllegalStateException ? io.waybill.inbox.FailureKind.PERMANENT : null)
                .build();
        failing.add("a");
        assertThat(picky.handle(Messages.of("1", "a"))).isEqualTo(InboxOutcome.DEAD_LETTERED);
    }

    @Test
    void aKeyWaitsBehindItsRetryAndIsReleasedInOrder() {
        Inbox<T> patient = builder("stock")
                .retry(new RetryPolicy(3, Duration.ofMinutes(5), Duration.ofMinutes(5))) // longer than any pause
                .build();
        failing.add("a1");
        List<ReceivedMessage> key = new ArrayList<>();
        for (int n = 1; n <= 5; n++) {
            key.add(Messages.of("a", "a" + n));
        }
        assertThat(patient.handle(key.get(0))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        assertThat(patient.handle(key.get(1))).isEqualTo(InboxOutcome.PARKED);
        assertThat(patient.handle(Messages.of("b", "b1"))).as("another key").isEqualTo(InboxOutcome.PROCESSED);
        assertThat(patient.handle(key.subList(2, 5))).containsOnly(InboxOutcome.PARKED);
        assertThat(patient.handle(key.get(0))).as("redelivered").isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        assertThat(patient.handle(key.get(3))).as("redelivered").isEqualTo(InboxOutcome.PARKED);
        assertThat(backend.view().status("stock").parked()).isEqualTo(4);
        assertThat(patient.runDue()).as("parked ones wait").isZero();

        failing.clear();
        backend.age(Duration.ofMinutes(10));
        assertThat(patient.runDue()).isEqualTo(5);
        assertThat(patient.handle(Messages.of("a", "a6"))).isEqualTo(InboxOutcome.PROCESSED);
        assertThat(ledger("stock")).containsExactly("b1", "a1", "a2", "a3", "a4", "a5", "a6");
    }

    @Test
    void aKeyGoesOnAfterItsDeadLetter() {
        failing.add("a1");
        inbox.handle(Messages.of("a", "a1"));
        inbox.handle(Messages.of("a", "a2"));
        for (int i = 0; i < 2; i++) {
            backend.age(Duration.ofMinutes(2));
            inbox.runDue();
        }
        assertThat(ledger("stock")).containsExactly("a2");
        assertThat(backend.view().status("stock").deadLetters()).isEqualTo(1);
        assertThat(backend.view().status("stock").parked()).isZero();
    }

    /** A deadlock, say: it is not the event's fault, and must not let it go before those that it would wait behind. */
    @Test
    void aFaultOfTheStoreLetsNoEventOvertakeItsKey() {
        failing.add("a1");
        assertThat(inbox.handle(Messages.of("a", "a1"))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        AtomicInteger faults = new AtomicInteger(1);
        Inbox<T> unlucky = Inbox.builder(faulty(faults), "stock")
                .on(Messages.TYPE, handler("stock "))
                .retry(THREE)
                .build();
        assertThat(unlucky.handle(Messages.of("a", "a2"))).isEqualTo(InboxOutcome.PARKED);
        assertThat(faults).as("faults left").hasValue(0);

        failing.clear();
        backend.age(Duration.ofMinutes(1));
        assertThat(inbox.runDue()).isEqualTo(2);
        assertThat(ledger("stock")).containsExactly("a1", "a2");
    }

    /** The store, which fails so many times before it has looked at an event. */
    @SuppressWarnings("unchecked")
    private InboxStore<T> faulty(AtomicInteger faults) {
        return (InboxStore<T>) Proxy.newProxyInstance(
                InboxStore.class.getClassLoader(), new Class<?>[] {InboxStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("admit") && faults.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                        throw new StoreException("a deadlock", new SQLException("deadlock", "40P01"));
                    }
                    try {
                        return method.invoke(backend.store(), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** Consumers park while a worker finishes what they park behind: nobody may be forgotten, and order must hold. */
    @Test
    void nothingIsForgottenWhenEventsArriveWhileTheirKeyIsReleased() throws Exception {
        int keys = 8;
        int each = 60;
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<Future<?>> consumers = new ArrayList<>();
        for (int k = 0; k < keys; k++) {
            String key = "k" + k;
            failing.add(key + "-1");
            inbox.handle(Messages.of(key, key + "-1"));
        }
        failing.clear();
        backend.age(Duration.ofMinutes(1));
        for (int c = 0; c < 2; c++) {
            int first = c;
            consumers.add(threads.submit(() -> {
                for (int n = 2; n <= each; n++) {
                    for (int k = first; k < keys; k += 2) {
                        inbox.handle(Messages.of("k" + k, "k" + k + "-" + n));
                    }
                }
            }));
        }
        consumers.add(threads.submit(() -> work(keys * each)));
        consumers.add(threads.submit(() -> work(keys * each)));
        for (Future<?> consumer : consumers) {
            consumer.get(60, TimeUnit.SECONDS);
        }
        threads.shutdown();
        for (int k = 0; k < keys; k++) {
            String key = "k" + k + "-";
            List<String> expected = new ArrayList<>();
            for (int n = 1; n <= each; n++) {
                expected.add(key + n);
            }
            assertThat(ledger("stock")).filteredOn(line -> line.startsWith(key)).containsExactlyElementsOf(expected);
        }
    }

    private void work(int expected) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(50);
        while (ledger("stock").size() < expected && System.nanoTime() < end) {
            inbox.runDue();
        }
    }

    /** Delivers as a consumer of one partition does: the first message until it is decided, then the next one. */
    private void deliverInOrder(Inbox<T> to, List<ReceivedMessage> partition) {
        for (ReceivedMessage message : partition) {
            int deliveries = 0;
            while (!decided(to, message)) {
                assertThat(++deliveries).as("deliveries of " + message).isLessThan(MOST_DELIVERIES);
            }
        }
    }

    private boolean decided(Inbox<?> by, ReceivedMessage message) {
        try {
            by.handle(message);
            return true;
        } catch (OutageException e) {
            clock.move(e.retryAfter());
            return false; // a consumer delivers it again
        }
    }

    /** More failing events in a row than it takes to pause: they pause the group, and stop nobody behind them. */
    @Test
    void failingEventsInARowDoNotStopTheKeysBehindThem() {
        Inbox<T> pausing = pausing("stock").build();
        List<ReceivedMessage> partition = new ArrayList<>();
        List<String> good = new ArrayList<>();
        for (int n = 1; n <= 12; n++) {
            failing.add("bad-" + n);
            partition.add(Messages.of("bad-" + n, "bad-" + n));
        }
        for (int n = 1; n <= 5; n++) {
            good.add("good-" + n);
            partition.add(Messages.of("good-" + n, "good-" + n));
        }
        deliverInOrder(pausing, partition);
        assertThat(ledger("stock")).containsExactlyElementsOf(good);
        assertThat(pausing.paused()).as("an event has succeeded").isFalse();

        await("the failing ones are given up on").atMost(Duration.ofSeconds(20)).until(() -> {
            backend.age(Duration.ofMinutes(2));
            tryDue(pausing);
            return backend.view().status("stock").deadLetters() == 12;
        });
        assertThat(backend.deadLetters().list("stock", io.waybill.admin.EventFilter.ALL, 20))
                .extracting(io.waybill.inbox.DeadLetter::attempts)
                .containsOnly(3);
        assertThat(backend.view().status("stock").retrying()).isZero();
    }

    @Test
    void aPauseIsShownWithItsReasonUntilItEnds() {
        Inbox<T> pausing = pausing("stock").build();
        assertThat(backend.view().status("stock").pausedConsumers()).isZero();
        for (int n = 1; n <= 10; n++) {
            failing.add("bad-" + n);
            pausing.handle(Messages.of("bad-" + n, "bad-" + n));
        }
        assertThat(pausing.paused()).isTrue();
        tryDue(pausing);
        assertThat(backend.view().status("stock")).satisfies(status -> {
            assertThat(status.pausedConsumers()).isEqualTo(1);
            assertThat(status.pausedSince()).isNotNull();
            assertThat(status.pauseReason()).contains("10 different events").contains("bad-10 fails for now");
        });
        assertThat(backend.view().status())
                .as("of all groups")
                .singleElement()
                .satisfies(status -> assertThat(status.pausedConsumers()).isEqualTo(1));
        assertThat(backend.view().status("mail").pausedConsumers())
                .as("another group")
                .isZero();

        deliverInOrder(pausing, List.of(Messages.of("good", "good")));
        tryDue(pausing);
        assertThat(backend.view().status("stock")).satisfies(status -> {
            assertThat(status.pausedConsumers()).isZero();
            assertThat(status.pausedSince()).isNull();
            assertThat(status.pauseReason()).isNull();
        });
    }

    @Test
    void thePauseOfAConsumerThatDiedIsForgotten() {
        Inbox<T> pausing = pausing("stock").pauseAfter(1).build();
        failing.add("bad");
        pausing.handle(Messages.of("bad", "bad"));
        tryDue(pausing);
        assertThat(backend.view().status("stock").pausedConsumers()).isEqualTo(1);
        backend.age(Duration.ofMinutes(10));
        assertThat(backend.view().status("stock").pausedConsumers()).isZero();
    }

    /** The user says that a service is out: no attempt is counted, and other keys are still tried. */
    @Test
    void aSystemicFailureStepsAsideWithoutAnAttempt() {
        Inbox<T> pausing = pausing("stock")
                .classify(error -> FailureKind.SYSTEMIC)
                .retry(new RetryPolicy(1, Duration.ofSeconds(10), Duration.ofSeconds(10)))
                .build();
        failing.add("bad");
        deliverInOrder(pausing, List.of(Messages.of("a", "bad"), Messages.of("a", "behind"), Messages.of("b", "good")));
        assertThat(ledger("stock")).containsExactly("good");
        for (int i = 0; i < 3; i++) {
            backend.age(Duration.ofMinutes(2));
            await().until(() -> tryDue(pausing) > 0);
        }
        assertThat(backend.view().status("stock").deadLetters()).isZero();
        failing.clear();
        backend.age(Duration.ofMinutes(2));
        await().until(() -> tryDue(pausing) > 0);
        assertThat(ledger("stock")).containsExactly("good", "bad", "behind");
    }

    private InboxBuilder<T> pausing(String group) {
        return builder(group).pauseAfter(10).longestPause(LONGEST_PAUSE);
    }

    private int tryDue(Inbox<?> by) {
        try {
            return by.runDue();
        } catch (OutageException e) {
            return 0;
        } finally {
            clock.move(LONGEST_PAUSE); // the next probe may run
        }
    }

    @Test
    void aBatchWithAFailureIsAppliedOneByOne() {
        failing.add("b");
        List<ReceivedMessage> batch =
                List.of(Messages.of("1", "a"), Messages.of("2", "b"), Messages.of("2", "c"), Messages.of("3", "d"));
        assertThat(inbox.handle(batch))
                .containsExactly(
                        InboxOutcome.PROCESSED,
                        InboxOutcome.RETRY_SCHEDULED,
                        InboxOutcome.PARKED,
                        InboxOutcome.PROCESSED);
        assertThat(ledger("stock")).containsExactly("a", "d");
    }

    @Test
    void aStaleVersionIsSkipped() {
        Inbox<T> guarded = builder("guarded").versions(VersionGuard.SKIP_STALE).build();
        assertThat(guarded.handle(Messages.of("1", "v2", 2))).isEqualTo(InboxOutcome.PROCESSED);
        assertThat(guarded.handle(Messages.of("1", "v1", 1))).isEqualTo(InboxOutcome.STALE);
        assertThat(guarded.handle(Messages.of("1", "v2 again", 2))).isEqualTo(InboxOutcome.STALE);
        assertThat(guarded.handle(Messages.of("2", "w1", 1)))
                .as("another entity")
                .isEqualTo(InboxOutcome.PROCESSED);
        assertThat(guarded.handle(Messages.of("1", "v5", 5)))
                .as("gaps do not matter")
                .isEqualTo(InboxOutcome.PROCESSED);
        assertThat(guarded.handle(Messages.of("1", "no version"))).isEqualTo(InboxOutcome.PROCESSED);
        assertThat(ledger("guarded")).containsExactly("v2", "w1", "v5", "no version");
    }

    @Test
    void versionsAreGuardedInABatchToo() {
        Inbox<T> strict = builder("strict")
                .versions(VersionGuard.strict(Duration.ofMinutes(10)))
                .build();
        assertThat(strict.handle(List.of(
                        Messages.of("1", "v1", 1),
                        Messages.of("1", "v3", 3),
                        Messages.of("1", "v1 again", 1),
                        Messages.of("1", "v2", 2),
                        Messages.of("2", "no version"))))
                .containsExactly(
                        InboxOutcome.PROCESSED,
                        InboxOutcome.PARKED,
                        InboxOutcome.STALE,
                        InboxOutcome.PROCESSED,
                        InboxOutcome.PROCESSED);
        strict.runDue();
        assertThat(ledger("strict")).containsExactly("v1", "v2", "no version", "v3");
    }

    @Test
    void aFailedVersionDoesNotCountAsSeen() {
        Inbox<T> guarded = builder("guarded").versions(VersionGuard.SKIP_STALE).build();
        failing.add("v1");
        guarded.handle(Messages.of("1", "v1", 1));
        failing.clear();
        backend.age(Duration.ofMinutes(1));
        guarded.runDue();
        assertThat(ledger("guarded")).containsExactly("v1");
    }

    @Test
    void aGapWaitsForItsPredecessor() {
        Inbox<T> strict = builder("strict")
                .versions(VersionGuard.strict(Duration.ofMinutes(10)))
                .build();
        assertThat(strict.handle(Messages.of("1", "v1", 1))).isEqualTo(InboxOutcome.PROCESSED);
        ReceivedMessage third = Messages.of("1", "v3", 3);
        assertThat(strict.handle(third)).isEqualTo(InboxOutcome.PARKED);
        assertThat(strict.handle(third)).as("redelivered").isEqualTo(InboxOutcome.PARKED);
        assertThat(strict.handle(Messages.of("1", "v4", 4))).isEqualTo(InboxOutcome.PARKED);
        assertThat(strict.runDue()).isZero();
        assertThat(strict.handle(Messages.of("1", "v2", 2))).isEqualTo(InboxOutcome.PROCESSED);
        assertThat(strict.runDue()).isEqualTo(2);
        assertThat(strict.handle(Messages.of("1", "v2 late", 2))).isEqualTo(InboxOutcome.STALE);
        assertThat(ledger("strict")).containsExactly("v1", "v2", "v3", "v4");
        assertThat(backend.view().status("strict").parked()).isZero();
    }

    @Test
    void aVersionOfATypeWithoutAHandlerCountsAsSeen() {
        Inbox<T> strict = builder("strict")
                .versions(VersionGuard.strict(Duration.ofMinutes(10)))
                .build();
        assertThat(strict.handle(Messages.of("1", "v1", 1))).isEqualTo(InboxOutcome.PROCESSED);
        assertThat(strict.handle(unhandled("1", 2))).isEqualTo(InboxOutcome.SKIPPED);
        assertThat(strict.handle(Messages.of("1", "v3", 3))).isEqualTo(InboxOutcome.PROCESSED);
        assertThat(strict.handle(unhandled("1", 5))).as("a gap").isEqualTo(InboxOutcome.PARKED);
        assertThat(strict.handle(List.of(Messages.of("1", "v4", 4), unhandled("2", 1), Messages.of("2", "w2", 2))))
                .containsExactly(InboxOutcome.PROCESSED, InboxOutcome.SKIPPED, InboxOutcome.PROCESSED);
        assertThat(strict.runDue()).isEqualTo(1);
        assertThat(strict.handle(Messages.of("1", "v6", 6))).isEqualTo(InboxOutcome.PROCESSED);
        assertThat(ledger("strict")).containsExactly("v1", "v3", "v4", "w2", "v6");
        assertThat(strict.handle(Messages.of(Event.of("order.noted", "Order", "1", "{}"))))
                .as("without a version")
                .isEqualTo(InboxOutcome.SKIPPED);
    }

    private static ReceivedMessage unhandled(String key, long version) {
        return Messages.of(Event.builder("order.noted", "Order", key)
                .topic(Messages.TOPIC)
                .aggregateVersion(version)
                .payload("{}")
                .build());
    }

    @Test
    void aListenerThatThrowsStopsNothing() {
        Inbox<T> heard = pausing("stock")
                .pauseAfter(1)
                .listener(new InboxListener() {
                    @Override
                    public void handled(Event event, InboxOutcome outcome, Duration took) {
                        throw new IllegalStateException("handled");
                    }

                    @Override
                    public void poison(ReceivedMessage message, String reason) {
                        throw new StackOverflowError("poison");
                    }

                    @Override
                    public void failed(Event event, FailureKind verdict, Throwable cause) {
                        throw new IllegalStateException("failed");
                    }

                    @Override
                    public void outageBegan(String reason) {
                        throw new IllegalStateException("began");
                    }

                    @Override
                    public void outageEnded(Duration duration) {
                        throw new IllegalStateException("ended");
                    }
                })
                .build();
        failing.add("bad");
        assertThat(heard.handle(Messages.of("1", "bad"))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        assertThat(heard.handle(new ReceivedMessage("orders", 0, 1, null, new byte[0], java.util.Map.of())))
                .isEqualTo(InboxOutcome.DEAD_LETTERED);
        deliverInOrder(heard, List.of(Messages.of("2", "good")));
        assertThat(ledger("stock")).containsExactly("good");
        assertThat(heard.paused()).isFalse();
    }

    @Test
    void aClassifierThatThrowsCountsAsAFailureAndIsNamed() {
        Inbox<T> picky = builder("picky")
                .classify(error -> {
                    throw new IllegalArgumentException("the classifier is broken");
                })
                .retry(new RetryPolicy(2, Duration.ofSeconds(10), Duration.ofSeconds(10)))
                .build();
        failing.add("a");
        assertThat(picky.handle(Messages.of("1", "a"))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        backend.age(Duration.ofMinutes(1));
        assertThat(picky.runDue()).isEqualTo(1);
        assertThat(backend.deadLetters().list("picky", io.waybill.admin.EventFilter.ALL, 10))
                .singleElement()
                .satisfies(
                        letter -> assertThat(letter.error()).contains("a fails for now", "the classifier is broken"));
    }

    /** Errors that look like an outage of the inbox's database, which answers: a connection to another one, or a closed one. */
    @Test
    void aHandlersOwnConnectionErrorIsItsFailure() {
        Inbox<T> reader = Inbox.builder(backend.store(), "stock")
                .on(Messages.TYPE, (transaction, event) -> {
                    if (Messages.text(event).equals("good")) {
                        backend.writeLedger(transaction, "stock good");
                        return;
                    }
                    throw new SQLException(
                            "of the handler's own connection",
                            Messages.text(event).equals("read-only") ? "25006" : "08006");
                })
                .retry(THREE)
                .build();
        assertThat(reader.handle(Messages.of("1", "read-only"))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        assertThat(reader.handle(Messages.of("2", "closed"))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        assertThat(reader.paused()).isFalse();
        assertThat(reader.handle(Messages.of("3", "good"))).isEqualTo(InboxOutcome.PROCESSED);
        for (int attempt = 1; attempt <= 3; attempt++) {
            backend.age(Duration.ofMinutes(2));
            assertThat(reader.runDue()).isEqualTo(2);
        }
        assertThat(backend.view().status("stock").deadLetters()).isEqualTo(2);
    }

    @Test
    void aGapIsAcceptedWhenPatienceIsOver() {
        Inbox<T> strict = builder("strict")
                .versions(VersionGuard.strict(Duration.ofMinutes(10)))
                .build();
        strict.handle(Messages.of("1", "v3", 3));
        strict.handle(Messages.of("1", "v4", 4));
        backend.age(Duration.ofMinutes(11));
        assertThat(strict.runDue()).isEqualTo(2);
        assertThat(strict.handle(Messages.of("1", "v2", 2))).isEqualTo(InboxOutcome.STALE);
        assertThat(ledger("strict")).containsExactly("v3", "v4");
    }

    @Test
    void aFailingPredecessorHoldsItsSuccessorsBackBeyondTheirPatience() {
        Inbox<T> strict = builder("strict")
                .versions(VersionGuard.strict(Duration.ofSeconds(30)))
                .retry(new RetryPolicy(10, Duration.ofMinutes(5), Duration.ofMinutes(5)))
                .build();
        strict.handle(Messages.of("1", "v2", 2));
        failing.add("v1");
        assertThat(strict.handle(Messages.of("1", "v1", 1))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        backend.age(Duration.ofMinutes(1));
        assertThat(strict.runDue()).as("version 2 waits for the retry").isZero();
        failing.clear();
        backend.age(Duration.ofMinutes(10));
        strict.runDue();
        assertThat(ledger("strict")).containsExactly("v1", "v2");
    }

    @Test
    void anEventKilledInTheMiddleOfItsRetryIsTriedAgainWhenItsLeaseEnds() {
        failing.add("a");
        inbox.handle(Messages.of("1", "a"));
        failing.clear();
        backend.age(Duration.ofMinutes(1));
        assertThat(backend.store().claimDue("stock", 10, Duration.ofSeconds(30)))
                .hasSize(1); // and then it died
        assertThat(inbox.runDue()).isZero();
        backend.age(Duration.ofSeconds(31));
        assertThat(inbox.runDue()).isEqualTo(1);
        assertThat(ledger("stock")).containsExactly("a");
    }

    @Test
    void retentionRemovesOldMarksInChunksAndKeepsDeadLetters() {
        hopeless.add("dead");
        inbox.handle(Messages.of("9", "dead"));
        for (int i = 0; i < 5; i++) {
            inbox.handle(Messages.of("1", "a" + i));
        }
        assertThat(inbox.prune(3)).isZero();
        backend.age(Duration.ofDays(16));
        inbox.handle(Messages.of("1", "new"));
        assertThat(inbox.prune(3)).isEqualTo(3);
        assertThat(inbox.prune(3)).isEqualTo(2);
        assertThat(backend.marks("stock")).isEqualTo(2);
        assertThat(backend.view().status("stock").deadLetters()).isEqualTo(1);
    }

    @Test
    void aDuplicateThatComesAfterTheRetentionIsAppliedOrGivenUpOnAsConfigured() {
        ReceivedMessage old = Messages.of(Messages.event("1", "old")
                .occurredAt(java.time.Instant.now().minus(Duration.ofDays(20)))
                .build());
        Inbox<T> careful =
                builder("careful").onLateEvent(InboxBuilder.Late.DEAD_LETTER).build();
        assertThat(inbox.handle(old)).isEqualTo(InboxOutcome.PROCESSED);
        backend.age(Duration.ofDays(16));
        inbox.prune(100);
        assertThat(inbox.handle(old)).as("nobody remembers it").isEqualTo(InboxOutcome.PROCESSED);
        assertThat(careful.handle(old)).isEqualTo(InboxOutcome.DEAD_LETTERED);
        assertThat(ledger("careful")).isEmpty();
    }

    @Test
    void aLateEventIsAppliedWhenAPersonReplaysIt() {
        Inbox<T> careful =
                builder("careful").onLateEvent(InboxBuilder.Late.DEAD_LETTER).build();
        Event old = late("1", "old");
        assertThat(careful.handle(Messages.of(old))).isEqualTo(InboxOutcome.DEAD_LETTERED);
        assertThat(backend.deadLetters()
                        .replay("careful", List.of(old.id()), new DeadLetters.Decision("ada", "it is new")))
                .hasSize(1);
        assertThat(careful.handle(Messages.of(old))).as("it waits for its turn").isEqualTo(InboxOutcome.PARKED);
        assertThat(careful.runDue()).isEqualTo(1);
        assertThat(ledger("careful")).containsExactly("old");
        assertThat(careful.handle(Messages.of(old))).isEqualTo(InboxOutcome.DUPLICATE);
    }

    @Test
    void aLateEventIsGivenUpOnAlsoWhenItWouldHaveToWait() {
        Inbox<T> careful = builder("careful")
                .onLateEvent(InboxBuilder.Late.DEAD_LETTER)
                .versions(VersionGuard.strict(Duration.ofMinutes(10)))
                .build();
        failing.add("first");
        assertThat(careful.handle(Messages.of("1", "first"))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        assertThat(careful.handle(Messages.of(late("1", "behind it")))).isEqualTo(InboxOutcome.DEAD_LETTERED);
        Event gap = Messages.event("2", "gap")
                .aggregateVersion(3)
                .occurredAt(java.time.Instant.now().minus(Duration.ofDays(20)))
                .build();
        assertThat(careful.handle(Messages.of(gap))).isEqualTo(InboxOutcome.DEAD_LETTERED);
        failing.clear();
        backend.age(Duration.ofMinutes(20));
        careful.runDue();
        assertThat(ledger("careful")).containsExactly("first");
    }

    private static Event late(String key, String text) {
        return Messages.event(key, text)
                .occurredAt(java.time.Instant.now().minus(Duration.ofDays(20)))
                .build();
    }

    @Test
    void batchesOfManyThreadsHaveOneEffectEach() throws Exception {
        List<ReceivedMessage> batch = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            batch.add(Messages.of("k" + i % 7, "n" + i));
        }
        inParallel(8, () -> inbox.handle(batch));
        assertThat(new HashSet<>(ledger("stock"))).hasSize(50);
        assertThat(ledger("stock")).hasSize(50);
    }

    /** Whatever a message holds, its failure is recorded: a standstill of its partition would be the alternative. */
    @Test
    void aKeyOfAnyLengthFailsWaitsAndGoesOnLikeAnyOther() {
        List<String> keys = List.of(
                "k".repeat(600),
                "k".repeat(600) + "2", // the same beginning
                incompressible(3_000, 64, 'A'),
                incompressible(500, 4_096, 0x20000), // four bytes each
                incompressible(200_000, 64, 'A'));
        for (int i = 0; i < keys.size(); i++) {
            String key = keys.get(i);
            failing.add("first-" + i);
            ReceivedMessage first = longKey(key, "first-" + i);
            InboxOutcome outcome = inbox.handle(first);
            assertThat(inbox.handle(Messages.of("other", "other-" + i))).isEqualTo(InboxOutcome.PROCESSED);
            if (outcome == InboxOutcome.DEAD_LETTERED) { // it could not be kept as it was
                assertThat(key.length())
                        .as("characters of a key that is not kept whole")
                        .isGreaterThan(60_000);
                assertThat(inbox.handle(first)).as("redelivered").isEqualTo(InboxOutcome.DUPLICATE);
                assertThat(backend.deadLetters().list("stock", io.waybill.admin.EventFilter.ALL, 10))
                        .singleElement()
                        .satisfies(letter -> {
                            assertThat(letter.error())
                                    .contains("first-4 fails for now")
                                    .contains("shortened");
                            assertThat(letter.message().value()).isEqualTo(first.value());
                        });
                continue;
            }
            assertThat(outcome).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
            assertThat(inbox.handle(longKey(key, "second-" + i))).isEqualTo(InboxOutcome.PARKED);
        }
        failing.clear();
        backend.age(Duration.ofMinutes(1));
        inbox.runDue();
        for (int i = 0; i < 4; i++) {
            assertThat(ledger("stock")).containsSubsequence("first-" + i, "second-" + i);
        }
        assertThat(backend.view().status("stock").retrying()).isZero();
        assertThat(backend.view().status("stock").parked()).isZero();
    }

    @Test
    void aLongKeyIsHeldToItsVersionsToo() {
        Inbox<T> guarded = builder("guarded").versions(VersionGuard.SKIP_STALE).build();
        String key = incompressible(3_000, 64, 'A');
        assertThat(guarded.handle(longKey(key, "v2", 2))).isEqualTo(InboxOutcome.PROCESSED);
        assertThat(guarded.handle(longKey(key, "v1", 1))).isEqualTo(InboxOutcome.STALE);
        assertThat(guarded.handle(longKey(key + "x", "w1", 1))).isEqualTo(InboxOutcome.PROCESSED);
    }

    @Test
    void aFailedEventOfSeveralMegabytesIsTriedAgainWhole() {
        String big = "a".repeat(3_000_000);
        List<Integer> lengths = new ArrayList<>();
        Inbox<T> large = Inbox.builder(backend.store(), "large")
                .on(Messages.TYPE, (transaction, event) -> {
                    lengths.add(Messages.text(event).length());
                    if (lengths.size() == 1) {
                        throw new IllegalStateException("fails for now");
                    }
                })
                .retry(THREE)
                .build();
        assertThat(large.handle(Messages.of("1", big))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        backend.age(Duration.ofMinutes(1));
        assertThat(large.runDue()).isEqualTo(1);
        assertThat(lengths).containsExactly(big.length(), big.length());
    }

    /** A type that no column takes everywhere, of an event that is given up on. */
    @Test
    void anEventThatTheDatabaseRefusesIsAShortenedDeadLetter() {
        Inbox<T> strict =
                builder("strict").onUnknownType(InboxBuilder.Unknown.REFUSE).build();
        Event odd = Event.builder("t".repeat(2_000_000), "Order", "1")
                .topic(Messages.TOPIC)
                .payload("{}")
                .restore();
        ReceivedMessage message = Messages.of(odd);
        assertThat(strict.handle(message)).isEqualTo(InboxOutcome.DEAD_LETTERED);
        assertThat(strict.handle(message)).as("redelivered").isEqualTo(InboxOutcome.DUPLICATE);
        assertThat(strict.handle(Messages.of("1", "next"))).isEqualTo(InboxOutcome.PROCESSED);
        assertThat(backend.deadLetters().find("strict", odd.id()))
                .hasValueSatisfying(
                        letter -> assertThat(letter.message().value()).isEqualTo(message.value()));
    }

    private static ReceivedMessage longKey(String key, String text) {
        return Messages.of(Event.builder(Messages.TYPE, "Order", key)
                .topic(Messages.TOPIC)
                .payload("\"" + text + "\"")
                .restore());
    }

    private static ReceivedMessage longKey(String key, String text, long version) {
        return Messages.of(Event.builder(Messages.TYPE, "Order", key)
                .topic(Messages.TOPIC)
                .aggregateVersion(version)
                .payload("\"" + text + "\"")
                .restore());
    }

    private static String incompressible(int characters, int alphabet, int first) {
        java.util.Random random = new java.util.Random(42);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < characters; i++) {
            text.appendCodePoint(first + random.nextInt(alphabet));
        }
        return text.toString();
    }

    @Test
    void aBuilderWithoutHandlersSaysSo() {
        assertThatThrownBy(() -> Inbox.builder(backend.store(), "empty").build())
                .hasMessageContaining("no handlers");
    }

    private static <R> List<R> inParallel(int count, Callable<R> work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(count);
        CyclicBarrier start = new CyclicBarrier(count);
        try {
            List<Future<R>> results = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                results.add(threads.submit(() -> {
                    start.await();
                    return work.call();
                }));
            }
            List<R> all = new ArrayList<>();
            for (Future<R> result : results) {
                all.add(result.get(60, TimeUnit.SECONDS));
            }
            return all;
        } finally {
            threads.shutdownNow();
        }
    }
}
