package io.waybill.faults.crash;

import io.waybill.inbox.Handler;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.InboxTransactions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ends this process, as SIGKILL does, at a step of an inbox: {@code AFTER_COMMIT:3} is the third commit. The inbox contains no code
 * for this: decorators of its store and its handlers count the steps.
 */
public final class InboxCrash {
    public static final String PROPERTY = "waybill.inbox.crash";

    /** The exit status of a process that ended at its crash point. */
    public static final int STATUS = 86;

    /** A step of an inbox. */
    public enum Point {
        /** After the transaction began. */
        BEFORE_MARK,
        AFTER_MARK,
        /** After the handler wrote to the database. */
        IN_HANDLER,
        /** After the handler returned. */
        BEFORE_COMMIT,
        /** After the event was processed, before its offset is committed. */
        AFTER_COMMIT,
        /** After the transaction of a failed handler was rolled back. */
        BEFORE_RETRY_COMMIT,
        AFTER_RETRY_COMMIT,
        /** After the dead letter was written to the outbox, before the commit. */
        BEFORE_DEAD_LETTER_COMMIT,
        AFTER_DEAD_LETTER_COMMIT,
        /** After a retried or parked event was claimed. */
        AFTER_CLAIM,
        /** After a retried or parked event was applied, before it is deleted in the same transaction. */
        BEFORE_RELEASE
    }

    private final Point point;
    private final int hit;
    private final AtomicInteger hits = new AtomicInteger();

    private InboxCrash(Point point, int hit) {
        this.point = point;
        this.hit = hit;
    }

    /** Returns the crash that was requested for this process, if any. */
    public static Optional<InboxCrash> requested() {
        return Optional.ofNullable(System.getProperty(PROPERTY)).map(text -> {
            String[] parts = text.split(":", 2);
            return new InboxCrash(Point.valueOf(parts[0]), Integer.parseInt(parts[1]));
        });
    }

    public <T> Handler<T> handler(Handler<T> handler) {
        return (transaction, event) -> {
            handler.handle(transaction, event);
            reached(Point.IN_HANDLER);
        };
    }

    @SuppressWarnings("unchecked") // the proxy implements the interface
    public <T> InboxStore<T> store(InboxStore<T> store) {
        return (InboxStore<T>) Proxy.newProxyInstance(
                InboxStore.class.getClassLoader(), new Class<?>[] {InboxStore.class}, (self, method, arguments) -> {
                    switch (method.getName()) {
                        case "transaction" -> {
                            return transaction(
                                    store, (String) arguments[0], (InboxTransactions.Work<T, Object>) arguments[1]);
                        }
                        case "admit" -> {
                            reached(Point.BEFORE_MARK);
                            Object admission = invoke(store, method, arguments);
                            reached(Point.AFTER_MARK);
                            return admission;
                        }
                        case "claimDue" -> {
                            java.util.List<?> due = (java.util.List<?>) invoke(store, method, arguments);
                            if (!due.isEmpty()) {
                                reached(Point.AFTER_CLAIM);
                            }
                            return due;
                        }
                        case "release" -> reached(Point.BEFORE_RELEASE);
                        default -> {
                            // no crash point
                        }
                    }
                    return invoke(store, method, arguments);
                });
    }

    private <T> Object transaction(InboxStore<T> store, String what, InboxTransactions.Work<T, Object> work) {
        boolean retry = what.startsWith("record a failure");
        boolean giveUp = what.startsWith("give up");
        Object result = store.transaction(what, transaction -> {
            Object done = work.in(transaction);
            reached(retry ? Point.BEFORE_RETRY_COMMIT : giveUp ? Point.BEFORE_DEAD_LETTER_COMMIT : Point.BEFORE_COMMIT);
            return done;
        });
        reached(retry ? Point.AFTER_RETRY_COMMIT : giveUp ? Point.AFTER_DEAD_LETTER_COMMIT : Point.AFTER_COMMIT);
        return result;
    }

    private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private void reached(Point reached) {
        if (reached == point && hits.incrementAndGet() == hit) {
            Runtime.getRuntime().halt(STATUS);
        }
    }
}
