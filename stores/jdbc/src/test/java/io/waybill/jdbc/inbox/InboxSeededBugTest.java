package io.waybill.jdbc.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.InboxStore.Admission;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.retry.RetryPolicy;
import io.waybill.testkit.inbox.Messages;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Seeded bugs: the checks of the contract detect deduplication outside of the handler's transaction. */
class InboxSeededBugTest {
    private InboxPostgresBackend backend;

    @BeforeEach
    void open() {
        backend = new InboxPostgresBackend();
    }

    @AfterEach
    void close() {
        backend.close();
    }

    @Test
    void withoutABugEachEventHasOneEffect() throws Exception {
        assertThat(effectsAfterAFailure(backend.store())).isEqualTo(1);
        assertThat(effectsOfEightThreads(backend.store())).isEqualTo(1);
    }

    @Test
    void aMarkThatIsCommittedBeforeTheHandlerLosesTheEvent() {
        assertThat(effectsAfterAFailure(admitting((connection, group, event) -> backend.store()
                        .transaction("mark too early", early -> backend.store().admit(early, group, event, true)))))
                .isZero();
    }

    @Test
    void aCheckBeforeTheHandlerAndAMarkAfterItApplyTheEventTwice() throws Exception {
        assertThat(effectsOfEightThreads(admitting((connection, group, event) -> InboxStatement.exists(
                                connection,
                                "look",
                                "SELECT 1 FROM processed_events WHERE consumer_group = ? AND event_id = ?",
                                group,
                                event.id())
                        ? Admission.DUPLICATE
                        : Admission.ADMITTED)))
                .isGreaterThan(1);
    }

    private long effectsAfterAFailure(InboxStore<Connection> store) {
        AtomicInteger attempts = new AtomicInteger();
        Inbox<Connection> inbox = Inbox.builder(store, "failing")
                .on(Messages.TYPE, (connection, event) -> {
                    backend.writeLedger(connection, "failing");
                    if (attempts.incrementAndGet() == 1) {
                        throw new IllegalStateException("fails at first");
                    }
                })
                .retry(new RetryPolicy(3, Duration.ofSeconds(1), Duration.ofSeconds(1)))
                .build();
        inbox.handle(Messages.of("1", "a"));
        backend.age(Duration.ofMinutes(1));
        inbox.runDue();
        return backend.ledger().stream().filter("failing"::equals).count();
    }

    private long effectsOfEightThreads(InboxStore<Connection> store) throws Exception {
        CyclicBarrier start = new CyclicBarrier(8);
        Inbox<Connection> inbox = Inbox.builder(store, "threads")
                .on(Messages.TYPE, (connection, event) -> backend.writeLedger(connection, "threads"))
                .build();
        ReceivedMessage message = Messages.of("1", "a");
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            running.add(threads.submit(() -> {
                start.await();
                return inbox.handle(message);
            }));
        }
        for (Future<?> future : running) {
            future.get(4, TimeUnit.MINUTES);
        }
        threads.shutdown();
        return backend.ledger().stream().filter("threads"::equals).count();
    }

    @FunctionalInterface
    private interface Admit {
        Admission admit(Connection connection, String group, Event event);
    }

    @SuppressWarnings("unchecked") // the proxy implements this interface
    private InboxStore<Connection> admitting(Admit bug) {
        InboxStore<Connection> store = backend.store();
        return (InboxStore<Connection>) Proxy.newProxyInstance(
                InboxStore.class.getClassLoader(),
                new Class<?>[] {InboxStore.class},
                (self, method, arguments) -> method.getName().equals("admit")
                        ? bug.admit((Connection) arguments[0], (String) arguments[1], (Event) arguments[2])
                        : invoke(store, method, arguments));
    }

    private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
