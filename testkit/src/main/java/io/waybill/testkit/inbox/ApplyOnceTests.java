package io.waybill.testkit.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.inbox.FollowUps;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.ReceivedMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Duplicates, concurrent deliveries and rolled back handlers: each event has one effect in each group. */
interface ApplyOnceTests<T> extends InboxTests<T> {
    @Test
    default void aRepeatedEventHasOneEffect() {
        ReceivedMessage message = Messages.of("1", "a");
        assertThat(inbox().handle(message)).isEqualTo(InboxOutcome.PROCESSED);
        assertThat(inbox().handle(message)).isEqualTo(InboxOutcome.DUPLICATE);
        assertThat(inbox().handle(List.of(message, message))).containsOnly(InboxOutcome.DUPLICATE);
        ReceivedMessage other = Messages.of("1", "b");
        assertThat(inbox().handle(List.of(other, message, other, Messages.of("1", "c"))))
                .containsExactly(
                        InboxOutcome.PROCESSED, InboxOutcome.DUPLICATE, InboxOutcome.DUPLICATE, InboxOutcome.PROCESSED);
        assertThat(ledger("stock")).containsExactly("a", "b", "c");
    }

    @Test
    default void sixteenThreadsWithOneEventHaveOneEffect() throws Exception {
        for (int round = 0; round < 10; round++) {
            ReceivedMessage message = Messages.of("1", "round-" + round);
            assertThat(inParallel(16, () -> inbox().handle(message)))
                    .containsOnlyOnce(InboxOutcome.PROCESSED)
                    .containsOnly(InboxOutcome.PROCESSED, InboxOutcome.DUPLICATE);
        }
        assertThat(ledger("stock")).hasSize(10);
    }

    @Test
    default void whenTheFirstOfManyThreadsRollsBackExactlyOneOfTheOthersSucceeds() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        Inbox<T> unlucky = Inbox.builder(backend().store(), "unlucky")
                .on(Messages.TYPE, (transaction, event) -> {
                    backend().writeLedger(transaction, "unlucky a");
                    if (attempts.incrementAndGet() == 1) {
                        throw new IllegalStateException("the first one fails");
                    }
                })
                .retry(THREE_ATTEMPTS)
                .build();
        ReceivedMessage message = Messages.of("1", "a");
        inParallel(16, () -> unlucky.handle(message));
        backend().age(Duration.ofMinutes(1));
        unlucky.runDue();
        assertThat(ledger("unlucky")).containsExactly("a");
        assertThat(backend().view().status("unlucky").retrying()).isZero();
    }

    @Test
    default void batchesOfManyThreadsHaveOneEffectEach() throws Exception {
        List<ReceivedMessage> batch = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            batch.add(Messages.of("k" + i % 7, "n" + i));
        }
        inParallel(8, () -> inbox().handle(batch));
        assertThat(new HashSet<>(ledger("stock"))).hasSize(50);
        assertThat(ledger("stock")).hasSize(50);
    }

    @Test
    default void groupsInOneDatabaseAreIndependent() {
        Inbox<T> mail = builder("mail").build();
        ReceivedMessage message = Messages.of("1", "a");
        assertThat(inbox().handle(message)).isEqualTo(InboxOutcome.PROCESSED);
        assertThat(mail.handle(message)).isEqualTo(InboxOutcome.PROCESSED);
        assertThat(backend().ledger()).containsExactly("stock a", "mail a");
    }

    @Test
    default void aFailingHandlerLeavesNothingBehind() {
        failing().add("a");
        assertThat(inbox().handle(Messages.of("1", "a"))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        assertThat(backend().ledger()).isEmpty();
        assertThat(backend().marks("stock")).isZero();
    }

    @Test
    default void anErrorRollsBackLikeAnException() {
        Inbox<T> broken = Inbox.builder(backend().store(), "broken")
                .on(Messages.TYPE, (transaction, event) -> {
                    backend().writeLedger(transaction, "broken a");
                    throw new StackOverflowError();
                })
                .build();
        assertThat(broken.handle(Messages.of("1", "a"))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        assertThat(backend().ledger()).isEmpty();
        assertThat(backend().marks("broken")).isZero();
    }

    @Test
    default void eventsAppendedByAHandlerRollBackWithItOrCarryItsCause() {
        Inbox<T> emitting = Inbox.builder(backend().store(), "emitting")
                .on(Messages.TYPE, (transaction, event) -> {
                    FollowUps.of(event, backend().outbox())
                            .append(transaction, Event.of("stock.reserved", "Stock", "s", "{}"));
                    if (failing().contains(Messages.text(event))) {
                        throw new IllegalStateException("fails");
                    }
                })
                .build();
        failing().add("a");
        emitting.handle(Messages.of("1", "a"));
        assertThat(backend().appended()).isEmpty();

        Event cause = Messages.event("2", "b")
                .header(Headers.CORRELATION_ID, "order-7")
                .header(Headers.TRACEPARENT, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                .build();
        emitting.handle(Messages.of(cause));
        assertThat(backend().appended()).hasSize(1);
        assertThat(backend().appended().get(0).headers())
                .containsEntry(Headers.CORRELATION_ID, "order-7")
                .containsEntry(Headers.CAUSATION_ID, cause.id().toString())
                .containsKey(Headers.TRACEPARENT);
    }

    @Test
    default void aBatchWithAFailureIsAppliedOneByOne() {
        failing().add("b");
        List<ReceivedMessage> batch =
                List.of(Messages.of("1", "a"), Messages.of("2", "b"), Messages.of("2", "c"), Messages.of("3", "d"));
        assertThat(inbox().handle(batch))
                .containsExactly(
                        InboxOutcome.PROCESSED,
                        InboxOutcome.RETRY_SCHEDULED,
                        InboxOutcome.PARKED,
                        InboxOutcome.PROCESSED);
        assertThat(ledger("stock")).containsExactly("a", "d");
    }

    @Test
    default void aBuilderWithoutHandlersIsRejected() {
        assertThatThrownBy(() -> Inbox.builder(backend().store(), "empty").build())
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
                all.add(result.get(4, TimeUnit.MINUTES));
            }
            return all;
        } finally {
            threads.shutdownNow();
        }
    }
}
