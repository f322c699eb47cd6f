package io.waybill.testkit.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.retry.RetryPolicy;
import io.waybill.store.StoreException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The order of the events of a key while one of them is retried. */
interface KeyOrderTests<T> extends InboxTests<T> {
    @Test
    default void aKeyWaitsBehindItsRetryAndIsReleasedInOrder() {
        Inbox<T> patient = builder("stock")
                .retry(new RetryPolicy(3, Duration.ofMinutes(5), Duration.ofMinutes(5))) // longer than a slow test run
                .build();
        failing().add("a1");
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
        assertThat(backend().view().status("stock").parked()).isEqualTo(4);
        assertThat(patient.runDue()).as("due events").isZero();

        failing().clear();
        backend().age(Duration.ofMinutes(10));
        assertThat(patient.runDue()).isEqualTo(5);
        assertThat(patient.handle(Messages.of("a", "a6"))).isEqualTo(InboxOutcome.PROCESSED);
        assertThat(ledger("stock")).containsExactly("b1", "a1", "a2", "a3", "a4", "a5", "a6");
    }

    @Test
    default void aKeyContinuesAfterItsDeadLetter() {
        failing().add("a1");
        inbox().handle(Messages.of("a", "a1"));
        inbox().handle(Messages.of("a", "a2"));
        for (int i = 0; i < 2; i++) {
            backend().age(Duration.ofMinutes(2));
            inbox().runDue();
        }
        assertThat(ledger("stock")).containsExactly("a2");
        assertThat(backend().view().status("stock").deadLetters()).isEqualTo(1);
        assertThat(backend().view().status("stock").parked()).isZero();
    }

    /** A failure such as a deadlock is not caused by the event. The event must still wait behind earlier events of its key. */
    @Test
    default void aStoreFailureDoesNotReorderAKey() {
        failing().add("a1");
        assertThat(inbox().handle(Messages.of("a", "a1"))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        AtomicInteger faults = new AtomicInteger(1);
        Inbox<T> unlucky = Inbox.builder(faulty(faults), "stock")
                .on(Messages.TYPE, handler("stock "))
                .retry(THREE_ATTEMPTS)
                .build();
        assertThat(unlucky.handle(Messages.of("a", "a2"))).isEqualTo(InboxOutcome.PARKED);
        assertThat(faults).as("remaining failures").hasValue(0);

        failing().clear();
        backend().age(Duration.ofMinutes(1));
        assertThat(inbox().runDue()).isEqualTo(2);
        assertThat(ledger("stock")).containsExactly("a1", "a2");
    }

    /** Returns the store with an {@code admit} that fails this many times. */
    @SuppressWarnings("unchecked")
    private InboxStore<T> faulty(AtomicInteger faults) {
        return (InboxStore<T>) Proxy.newProxyInstance(
                InboxStore.class.getClassLoader(), new Class<?>[] {InboxStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("admit") && faults.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                        throw new StoreException("a deadlock", new SQLException("deadlock", "40P01"));
                    }
                    try {
                        return method.invoke(backend().store(), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** Consumers park events while a worker processes the events before them. No parked event may be left behind or overtake another. */
    @Test
    default void eventsThatArriveWhileTheirKeyIsReleasedAreProcessedInOrder() throws Exception {
        int keys = 8;
        int each = 60;
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<Future<?>> consumers = new ArrayList<>();
        for (int k = 0; k < keys; k++) {
            String key = "k" + k;
            failing().add(key + "-1");
            inbox().handle(Messages.of(key, key + "-1"));
        }
        failing().clear();
        backend().age(Duration.ofMinutes(1));
        for (int c = 0; c < 2; c++) {
            int first = c;
            consumers.add(threads.submit(() -> {
                for (int n = 2; n <= each; n++) {
                    for (int k = first; k < keys; k += 2) {
                        inbox().handle(Messages.of("k" + k, "k" + k + "-" + n));
                    }
                }
            }));
        }
        consumers.add(threads.submit(() -> work(keys * each)));
        consumers.add(threads.submit(() -> work(keys * each)));
        for (Future<?> consumer : consumers) {
            consumer.get(4, TimeUnit.MINUTES);
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
            inbox().runDue();
        }
    }
}
