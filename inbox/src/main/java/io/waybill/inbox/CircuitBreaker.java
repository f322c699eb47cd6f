package io.waybill.inbox;

import io.waybill.internal.LogText;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pauses an inbox when its database is out, or when so many different events have failed one after the other that the fault is
 * probably not theirs. While it is closed, one event at a time is let through as a probe, with growing pauses; a success opens
 * the gate.
 *
 * <p>A pause slows consumption down and never stops it. As long as the database answers, the failure of a probe is recorded: its
 * event waits in the inbox, so that the next probe is another event. {@link ProbeLine} shares the probes among partitions and due
 * events. A total outage therefore costs few attempts, and a run of bad events does not keep the good ones behind it waiting.
 */
final class CircuitBreaker {
    private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration PROBE_RUNS = Duration.ofMillis(50);

    /** A pause without a failing event or a waiting event ends after this time. */
    private static final Duration IDLE = Duration.ofSeconds(10);

    /** A group that pauses and resumes in quick succession logs it once in this time. */
    private static final Duration BETWEEN_LOGS = Duration.ofMinutes(1);

    private final String group;
    private final int limit;
    private final Duration longestPause;
    private final InboxListener listener;
    private final Set<UUID> failing = new HashSet<>();
    private final ProbeLine line = new ProbeLine();
    private boolean closed;
    private boolean databaseOut;
    private @Nullable String probing;
    private boolean probeFailed;
    private String reason = "";
    private long closedAt;
    private long failedAt;
    private long probeAt;
    private Duration pause = Duration.ZERO;
    private boolean logged;
    private long mayLogAt = System.nanoTime();

    CircuitBreaker(String group, int limit, Duration longestPause, InboxListener listener) {
        this.group = group;
        this.limit = limit;
        this.longestPause = longestPause;
        this.listener = listener;
    }

    enum Pass {
        OPEN,
        PROBE
    }

    /**
     * A pause that has not ended.
     *
     * @param lasts time since it began
     */
    record Pause(Duration lasts, String reason) {}

    /**
     * Lets an event through, or throws. Every call that returns must be followed by {@link #leave}.
     *
     * @param place where the event comes from: probes are shared among places
     */
    synchronized Pass enter(String place) {
        if (!closed) {
            return Pass.OPEN;
        }
        long now = System.nanoTime();
        if (probing != null || now - probeAt < 0 || !line.isTurnOf(place, now - probeAt)) {
            line.join(place);
            throw outage(null);
        }
        line.leave(place);
        probing = place;
        probeFailed = false;
        return Pass.PROBE;
    }

    synchronized void leave(Pass pass) {
        String place = probing;
        if (pass == Pass.PROBE && place != null) {
            probing = null;
            if (closed && !probeFailed && !place.equals(ProbeLine.DUE)) {
                line.joinFirst(place); // the probe was a duplicate or had to wait: the next event of the place is tried
            }
        }
    }

    synchronized boolean isClosed() {
        return closed;
    }

    synchronized Optional<Pause> pause() {
        return closed
                ? Optional.of(new Pause(Duration.ofNanos(System.nanoTime() - closedAt), reason))
                : Optional.empty();
    }

    /** How long nothing will be let through. */
    synchronized Duration remaining() {
        if (!closed) {
            return Duration.ZERO;
        }
        Duration left = Duration.ofNanos(Math.max(0, probeAt - System.nanoTime()));
        return left.isZero() && probing != null ? PROBE_RUNS : left;
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
            ends = closed && (applied || databaseOut);
        }
        if (ends) {
            open(applied ? "an event was processed" : "the database answers");
        }
    }

    /** No event is due. When none waits at the broker either, nothing could ever end the pause. */
    void nothingIsDue() {
        boolean ends;
        synchronized (this) {
            Duration quiet = Duration.ofNanos(System.nanoTime() - failedAt);
            ends = closed
                    && !databaseOut
                    && probing == null
                    && line.isEmpty()
                    && quiet.compareTo(IDLE) > 0
                    && quiet.compareTo(longestPause) > 0;
        }
        if (ends) {
            open("no event is left to try");
        }
    }

    private void open(String why) {
        Duration duration;
        boolean log;
        synchronized (this) {
            if (!closed) {
                return;
            }
            closed = false;
            failing.clear();
            line.clear();
            duration = Duration.ofNanos(System.nanoTime() - closedAt);
            log = logged;
        }
        if (log) {
            LOG.info("Group {} resumes after {} s: {}", group, duration.toMillis() / 1_000.0, why);
        }
        listener.outageEnded(duration);
    }

    /** An attempt of this event has failed and was recorded. */
    void failed(UUID id, Pass pass, String why) {
        int count;
        synchronized (this) {
            failing.add(id);
            count = failing.size();
            failedAt = System.nanoTime();
            if (closed && pass == Pass.OPEN) {
                return; // it began before the pause
            }
        }
        if (count >= limit || pass == Pass.PROBE) {
            close(
                    false,
                    Math.max(count, limit) + " different events have failed one after the other, the last one with: "
                            + why);
        }
    }

    /** The fault is a service's, and the event waits in the inbox. */
    void serviceOut(Pass pass, String why) {
        synchronized (this) {
            failedAt = System.nanoTime();
            if (closed && pass == Pass.OPEN) {
                return;
            }
        }
        close(false, why);
    }

    /** The event could not be recorded: it has to be delivered again. */
    OutageException outage(String why, boolean database, @Nullable Throwable cause) {
        close(database, why);
        return outage(cause);
    }

    private synchronized OutageException outage(@Nullable Throwable cause) {
        Duration left = Duration.ofNanos(probeAt - System.nanoTime());
        return new OutageException(
                "Group " + group + " is paused: " + reason + " Deliver the event again later.",
                left.compareTo(PROBE_RUNS) < 0 ? left.isNegative() ? PROBE_RUNS : left.plusMillis(1) : left,
                cause);
    }

    private void close(boolean database, String why) {
        boolean begins;
        synchronized (this) {
            begins = !closed;
            long now = System.nanoTime();
            Duration longer = pause.isZero() ? FIRST_PAUSE : pause.multipliedBy(2);
            pause = longer.compareTo(longestPause) < 0 ? longer : longestPause;
            closed = true;
            databaseOut = database;
            reason = why.endsWith(".") ? why : why + ".";
            probeFailed = true;
            failedAt = now;
            probeAt = now + pause.toNanos();
            if (begins) {
                closedAt = now;
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
                                : "Events that fail wait in the inbox and are tried again.");
            }
            listener.outageBegan(why);
        }
    }
}
