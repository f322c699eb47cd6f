package io.waybill.inbox.internal.breaker;

import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxListener;
import io.waybill.inbox.OutageException;
import io.waybill.internal.LogText;
import io.waybill.time.Ticker;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pauses an inbox while its database is down, or after so many different events have failed in a row that the events themselves are
 * probably not the cause. While the breaker is open, one event at a time passes as a probe, with exponential back-off. A success
 * closes the breaker.
 *
 * <p>A pause slows consumption down but never stops it. As long as the database answers, the failure of a probe is recorded: its
 * event waits in the inbox, so that the next probe is another event. {@link ProbeQueue} shares the probes among partitions and due
 * events. A total outage therefore costs few attempts, and a run of bad events does not block the good events behind it.
 */
public final class CircuitBreaker {
    private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration PROBE_TIME = Duration.ofMillis(50);

    /** A pause ends after this time if no event fails and no event waits. */
    private static final Duration IDLE = Duration.ofSeconds(10);

    /** The shortest time between two log messages of a group that pauses and resumes repeatedly. */
    private static final Duration BETWEEN_LOGS = Duration.ofMinutes(1);

    private final String group;
    private final int pauseAfter;
    private final Duration longestPause;
    private final InboxListener listener;
    private final Ticker ticker;
    private final Set<UUID> failing = new HashSet<>();
    private final ProbeQueue probes = new ProbeQueue();
    private boolean open;
    private boolean databaseDown;
    private @Nullable String probing;
    private boolean probeFailed;
    private String reason = "";
    private long openedAt;
    private long failedAt;
    private long probeAt;
    private Duration pause = Duration.ZERO;
    private boolean logged;
    private long mayLogAt;

    public CircuitBreaker(String group, int pauseAfter, Duration longestPause, InboxListener listener, Ticker ticker) {
        this.group = group;
        this.pauseAfter = pauseAfter;
        this.longestPause = longestPause;
        this.listener = listener;
        this.ticker = ticker;
        this.mayLogAt = ticker.nanos();
    }

    public enum Pass {
        NORMAL,
        PROBE
    }

    /**
     * A pause that has not ended.
     *
     * @param lasts time since the pause began
     */
    public record Pause(Duration lasts, String reason) {}

    /**
     * Lets an event pass, or throws. After every call that returns, the caller must call {@link #leave}.
     *
     * @param source where the event comes from; the sources send probes in turn
     */
    public synchronized Pass enter(String source) {
        if (!open) {
            return Pass.NORMAL;
        }
        long now = ticker.nanos();
        if (probing != null || now - probeAt < 0 || !probes.isTurnOf(source, now - probeAt)) {
            probes.addLast(source);
            throw outage(null);
        }
        probes.remove(source);
        probing = source;
        probeFailed = false;
        return Pass.PROBE;
    }

    public synchronized void leave(Pass pass) {
        String source = probing;
        if (pass == Pass.PROBE && source != null) {
            probing = null;
            if (open && !probeFailed && !source.equals(ProbeQueue.DUE)) {
                // The probe was a duplicate or was parked: the next event of the same source is tried.
                probes.addFirst(source);
            }
        }
    }

    public synchronized boolean isOpen() {
        return open;
    }

    public synchronized Optional<Pause> pause() {
        return open ? Optional.of(new Pause(Duration.ofNanos(ticker.nanos() - openedAt), reason)) : Optional.empty();
    }

    /** Returns the time until the next event may pass; zero if one may pass now. */
    public synchronized Duration remaining() {
        if (!open) {
            return Duration.ZERO;
        }
        Duration left = Duration.ofNanos(Math.max(0, probeAt - ticker.nanos()));
        return left.isZero() && probing != null ? PROBE_TIME : left;
    }

    /**
     * A transaction was committed.
     *
     * @param applied whether a handler has run in it
     */
    public void succeeded(boolean applied) {
        boolean ends;
        synchronized (this) {
            if (applied) {
                failing.clear();
                pause = Duration.ZERO;
            }
            ends = open && (applied || databaseDown);
        }
        if (ends) {
            close(applied ? "an event was processed" : "the database answers");
        }
    }

    /** No event is due. If no event waits at the broker either, no success can end the pause, so it ends here. */
    public void nothingIsDue() {
        boolean ends;
        synchronized (this) {
            Duration quiet = Duration.ofNanos(ticker.nanos() - failedAt);
            ends = open
                    && !databaseDown
                    && probing == null
                    && probes.isEmpty()
                    && quiet.compareTo(IDLE) > 0
                    && quiet.compareTo(longestPause) > 0;
        }
        if (ends) {
            close("no event is left to try");
        }
    }

    private void close(String why) {
        Duration duration;
        boolean log;
        synchronized (this) {
            if (!open) {
                return;
            }
            open = false;
            failing.clear();
            probes.clear();
            duration = Duration.ofNanos(ticker.nanos() - openedAt);
            log = logged;
        }
        if (log) {
            LOG.info("Group {} resumes after {} s: {}", group, duration.toMillis() / 1_000.0, why);
        }
        listener.outageEnded(duration);
    }

    /** An attempt of this event failed, and the failure was recorded. */
    public void failed(UUID id, Pass pass, String why) {
        int count;
        synchronized (this) {
            failing.add(id);
            count = failing.size();
            failedAt = ticker.nanos();
            if (open && pass == Pass.NORMAL) {
                return; // the attempt began before the pause
            }
        }
        if (count >= pauseAfter || pass == Pass.PROBE) {
            int failed = Math.max(count, pauseAfter);
            open(
                    false,
                    failed == 1
                            ? "An event failed with: " + why
                            : failed + " different events failed in a row, the last one with: " + why);
        }
    }

    /** A service that the handler needs is down. The event waits in the inbox. */
    public void serviceDown(Pass pass, String why) {
        synchronized (this) {
            failedAt = ticker.nanos();
            if (open && pass == Pass.NORMAL) {
                return;
            }
        }
        open(false, why);
    }

    /** The failure of an event could not be recorded, so the broker must deliver the event again. */
    public OutageException outage(String why, boolean database, @Nullable Throwable cause) {
        open(database, why);
        return outage(cause);
    }

    private synchronized OutageException outage(@Nullable Throwable cause) {
        Duration left = Duration.ofNanos(probeAt - ticker.nanos());
        return new OutageException(
                "Group " + group + " is paused: " + reason + " Deliver the event again later.",
                left.compareTo(PROBE_TIME) < 0 ? left.isNegative() ? PROBE_TIME : left.plusMillis(1) : left,
                cause);
    }

    private void open(boolean database, String why) {
        boolean begins;
        synchronized (this) {
            begins = !open;
            long now = ticker.nanos();
            Duration longer = pause.isZero() ? FIRST_PAUSE : pause.multipliedBy(2);
            pause = longer.compareTo(longestPause) < 0 ? longer : longestPause;
            open = true;
            databaseDown = database;
            reason = why.endsWith(".") ? why : why + ".";
            probeFailed = true;
            failedAt = now;
            probeAt = now + pause.toNanos();
            if (begins) {
                openedAt = now;
                logged = now - mayLogAt >= 0;
                if (logged) {
                    mayLogAt = now + BETWEEN_LOGS.toNanos();
                }
            }
        }
        if (begins) {
            if (logged) {
                LOG.warn(
                        "Group {} pauses: {}{} It tries one event at a time, at most {} s apart, until one succeeds. {}",
                        group,
                        LogText.oneLine(why),
                        why.endsWith(".") ? "" : ".",
                        longestPause.toMillis() / 1_000.0,
                        database
                                ? "No attempt is counted until the database answers."
                                : "Failed events wait in the inbox and are retried.");
            }
            listener.outageBegan(why);
        }
    }
}
