package io.waybill.faults.crash;

import static java.util.Objects.requireNonNull;

import io.waybill.store.OutboxStore;
import io.waybill.transport.Transport;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Ends or freezes this process at a {@link CrashPoint}: {@code halt:AFTER_ACK:3} ends it at the third hit, as
 * SIGKILL does (no shutdown hook and no finally block runs), and {@code freeze:AFTER_ACK:3} stops it with SIGSTOP until it
 * receives SIGCONT. The action and the hit are optional: {@code AFTER_ACK} ends the process at the first hit.
 *
 * <p>A parent requests the crash of a child process with the system property {@value #PROPERTY}. The value {@value #LATER} installs the
 * decorators without a crash point until {@link #arm} sets one. Points inside a batch are only well
 * defined for a relay with one worker.
 */
public final class Crash {
    public static final String PROPERTY = "waybill.crash";

    public static final String LATER = "later";

    /** The exit status of a process that ended at its crash point. */
    public static final int STATUS = 86;

    private static final ThreadLocal<@Nullable Step> STEP = new ThreadLocal<>();

    private final ReentrantReadWriteLock database = new ReentrantReadWriteLock();
    private volatile @Nullable Order order;
    private final AtomicBoolean batchUntouched = new AtomicBoolean();

    /** Whether the transaction of this thread is a claim or a settlement; the commit itself does not show it. */
    enum Step {
        CLAIM,
        SETTLE
    }

    private record Order(CrashPoint point, int hit, boolean freeze, AtomicInteger hits) {}

    private Crash() {}

    /** Returns the crash that was requested for this process, if any. */
    public static Optional<Crash> requested() {
        return Optional.ofNullable(System.getProperty(PROPERTY)).map(Crash::parse);
    }

    /** @throws IllegalArgumentException if the text is not of the form {@code [halt:|freeze:]POINT[:hit]} */
    public static Crash parse(String text) {
        Crash crash = new Crash();
        if (!text.equals(LATER)) {
            crash.arm(text);
        }
        return crash;
    }

    /** Sets or replaces the crash point. Hits are counted from now on. */
    public void arm(String text) {
        requireNonNull(text, "text");
        String action = text.startsWith("freeze:") ? "freeze:" : text.startsWith("halt:") ? "halt:" : "";
        String[] parts = text.substring(action.length()).split(":", 2);
        int hit = parts.length == 1 ? 1 : Integer.parseInt(parts[1]);
        if (hit < 1) {
            throw new IllegalArgumentException("Hits count from 1: " + text);
        }
        CrashPoint point = CrashPoint.valueOf(parts[0].toUpperCase(Locale.ROOT));
        order = new Order(point, hit, action.equals("freeze:"), new AtomicInteger());
    }

    public OutboxStore store(OutboxStore store) {
        return new CrashingStore(store, this);
    }

    public Transport transport(Transport transport) {
        return new CrashingTransport(transport, this);
    }

    public DataSource dataSource(DataSource dataSource) {
        return CrashingDataSource.around(dataSource, this);
    }

    /** Counts a hit of the point. Does not return if this is the requested hit. */
    void reached(CrashPoint reached) {
        Order now = order;
        if (now != null && reached == now.point() && now.hits().incrementAndGet() == now.hit()) {
            if (now.freeze()) {
                freezeOutsideOfTransactions();
            } else {
                Runtime.getRuntime().halt(STATUS);
            }
        }
    }

    void batchClaimed() {
        batchUntouched.set(true);
    }

    /** Only before the first message after a claim is it certain that the broker has no message of the batch. */
    void sending() {
        if (batchUntouched.getAndSet(false)) {
            reached(CrashPoint.BEFORE_SEND);
        }
    }

    void begin(@Nullable Step now) {
        STEP.set(now);
    }

    void end() {
        STEP.remove();
    }

    void committing() {
        Step now = STEP.get();
        if (now != null) {
            reached(now == Step.CLAIM ? CrashPoint.BEFORE_CLAIM_COMMIT : CrashPoint.BEFORE_SETTLE_COMMIT);
        }
    }

    void committed() {
        Step now = STEP.get();
        if (now != null) {
            reached(now == Step.CLAIM ? CrashPoint.AFTER_CLAIM_COMMIT : CrashPoint.AFTER_SETTLE_COMMIT);
        }
    }

    /** Runs a transaction, during which other threads do not freeze the process. */
    <T> T working(Supplier<T> work) {
        database.readLock().lock();
        try {
            return work.get();
        } finally {
            database.readLock().unlock();
        }
    }

    /**
     * If the process froze while another thread is in a transaction (a heartbeat, the takeover of a lane), that transaction would keep
     * its locks and no relay could acquire the lanes. So the freeze waits for other transactions. Only a thread whose own transaction
     * has reached the crash point freezes inside it.
     */
    private void freezeOutsideOfTransactions() {
        if (database.getReadHoldCount() > 0) {
            freeze();
            return;
        }
        database.writeLock().lock();
        try {
            freeze();
        } finally {
            database.writeLock().unlock();
        }
    }

    private static void freeze() {
        String self = Long.toString(ProcessHandle.current().pid());
        try {
            new ProcessBuilder(List.of("sh", "-c", "kill -STOP " + self))
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new IllegalStateException("Cannot freeze this process: cannot run sh.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        Order now = order;
        return now == null ? LATER : (now.freeze() ? "freeze:" : "halt:") + now.point() + ":" + now.hit();
    }
}
