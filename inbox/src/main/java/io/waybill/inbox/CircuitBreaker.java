package io.waybill.inbox;

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
final class CircuitBreaker {
    private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration PROBE_TIME = Duration.ofMillis(50);

    /** A pause ends after this time if no event fails and no event waits. */
    private static final Duration IDLE = Duration.ofSeconds(10);

    /** A group that pauses and resumes repeatedly logs that at most once in this time. */
    private static final Duration BETWEEN_LOGS = Duration.ofMinutes(1);

    private final String group;
    private final int limit;
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

    CircuitBreaker(String group, int limit, Duration longestPause, InboxListener listener, Ticker ticker) {
        this.group = group;
        this.limit = limit;
        this.longestPause = longestPause;
        this.listener = listener;
        this.ticker = ticker;
        this.mayLogAt = ticker.nanos();
    }

    enum Pass {
        NORMAL,
        PROBE
    }

    /**
     * A pause that has not ended.
     *
     * @param lasts time since the pause began
     */
    record Pause(Duration lasts, String reason) {}

    /**
     * Lets an event pass, or throws. After every call that returns, the caller must call {@link #leave}.
     *
     * @param source where the event comes from: sources take turns with probes
     */
    synchronized Pass enter(String source) {
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

    synchronized void leave(Pass pass) {
        String source = probing;
        if (pass == Pass.PROBE && source != null) {
            probing = null;
            if (open && !probeFailed && !source.equals(ProbeQueue.DUE)) {
                probes.addFirst(
                        source); // the probe was a duplicate or was parked: the next event of the source is tried
            }
        }
    }

    synchronized boolean isOpen() {
        return open;
    }

    synchronized Optional<Pause> pause() {
        return open ? Optional.of(new Pause(Duration.ofNanos(ticker.nanos() - openedAt), reason)) : Optional.empty();
    }

    /** Returns the time until the next event may pass; zero if one may pass now. */
    synchronized Duration remaining() {
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
    void succeeded(boolean applied) {
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
    void nothingIsDue() {
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
    void failed(UUID id, Pass pass, String why) {
        int count;
        synchronized (this) {
            failing.add(id);
            count = failing.size();
            failedAt = ticker.nanos();
            if (open && pass == Pass.NORMAL) {
                return; // the attempt began before the pause
            }
        }
        if (count >= limit || pass == Pass.PROBE) {
            open(false, Math.max(count, limit) + " different events failed in a row, the last one with: " + why);
        }
    }

    /** A service that the handler needs is down. The event waits in the inbox. */
    void serviceDown(Pass pass, String why) {
        synchronized (this) {
            failedAt = ticker.nanos();
            if (open && pass == Pass.NORMAL) {
                return;
            }
        }
        open(false, why);
    }

    /** The failure of an event could not be recorded, so the broker must deliver the event again. */
    OutageException outage(String why, boolean database, @Nullable Throwable cause) {
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
