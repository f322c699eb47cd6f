package io.waybill.testkit.crash;

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
 * What shall happen to this process, and at which hit of which {@link CrashPoint}: {@code halt:AFTER_ACK:3} ends it as
 * SIGKILL would (no shutdown hook, no finally block runs), {@code freeze:AFTER_ACK:3} stops it with SIGSTOP until somebody
 * sends SIGCONT. The action and the hit may be left out: {@code AFTER_ACK} halts at the first hit.
 *
 * <p>A parent asks a child process for it with the system property {@value #PROPERTY}; {@value #LATER} there installs the
 * decorators and waits for {@link #arm}. Points inside a batch are only well
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

    /** What the transaction on this thread is for; commits look alike otherwise. */
    enum Step {
        CLAIM,
        SETTLE
    }

    private record Order(CrashPoint point, int hit, boolean freeze, AtomicInteger hits) {}

    private Crash() {}

    /** The crash that this process was asked for, if any. */
    public static Optional<Crash> requested() {
        return Optional.ofNullable(System.getProperty(PROPERTY)).map(Crash::parse);
    }

    /** @throws IllegalArgumentException when the text is no {@code [halt:|freeze:]POINT[:hit]} */
    public static Crash parse(String text) {
        Crash crash = new Crash();
        if (!text.equals(LATER)) {
            crash.arm(text);
        }
        return crash;
    }

    /** Gives the process its order, in place of an earlier one; hits count from now on. */
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

    /** The process has reached the point; returns unless this was the hit to crash at. */
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

    /** The first message after a claim is the only one before which nothing of its batch can be at the broker. */
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

    /** Work in the database, in whose middle another thread does not freeze the process. */
    <T> T working(Supplier<T> work) {
        database.readLock().lock();
        try {
            return work.get();
        } finally {
            database.readLock().unlock();
        }
    }

    /**
     * A process that is frozen while another of its threads is in the middle of a transaction (a heartbeat, the take-over of a lane)
     * keeps that one's locks, and nobody gets its lanes. So those are let finish; only what is at its own point of a transaction
     * stops there.
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
            throw new IllegalStateException("Cannot freeze this process: no shell (sh) could be run.", e);
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
