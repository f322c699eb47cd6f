package io.waybill.inbox;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pauses an inbox when its database is out, or when so many different events have failed one after the other that the fault
 * cannot be theirs. While it is closed, one event at a time is let through as a probe, with growing pauses; its failure counts
 * nothing, its success opens the gate. So an outage burns no attempts and floods no dead letters.
 */
final class Gate {
    private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);

    private final String group;
    private final int limit;
    private final Duration longestPause;
    private final InboxListener listener;
    private final Set<UUID> failing = new HashSet<>();
    private boolean closed;
    private boolean databaseOut;
    private boolean probing;
    private String reason = "";
    private long closedAt;
    private long probeAt;
    private Duration pause = FIRST_PAUSE;

    Gate(String group, int limit, Duration longestPause, InboxListener listener) {
        this.group = group;
        this.limit = limit;
        this.longestPause = longestPause;
        this.listener = listener;
    }

    /** Lets an event through, or throws. Who was let through must call {@link #leave}. */
    synchronized Pass enter() {
        if (!closed) {
            return Pass.OPEN;
        }
        if (probing || System.nanoTime() - probeAt < 0) {
            throw outage(null);
        }
        probing = true;
        return Pass.PROBE;
    }

    enum Pass {
        OPEN,
        PROBE
    }

    synchronized boolean isClosed() {
        return closed;
    }

    /** How long nothing will be let through. */
    synchronized Duration remaining() {
        return closed ? Duration.ofNanos(Math.max(0, probeAt - System.nanoTime())) : Duration.ZERO;
    }

    synchronized void leave(Pass pass) {
        if (pass == Pass.PROBE) {
            probing = false;
        }
    }

    /**
     * A transaction was committed.
     *
     * @param applied whether a handler has run in it
     */
    void succeeded(boolean applied) {
        Duration duration;
        synchronized (this) {
            if (applied) {
                failing.clear();
            }
            if (!closed || (!applied && !databaseOut)) {
                return;
            }
            closed = false;
            failing.clear();
            duration = Duration.ofNanos(System.nanoTime() - closedAt);
        }
        LOG.info("Group {} goes on after {}", group, duration);
        listener.outageEnded(duration);
    }

    /** An attempt of this event has failed and was recorded. */
    void failed(UUID id, String why) {
        int count;
        synchronized (this) {
            failing.add(id);
            count = failing.size();
        }
        if (count < limit) {
            return;
        }
        close(false, count + " different events have failed one after the other, the last one with: " + why);
    }

    /** The fault is the database's or a service's. */
    OutageException outage(String why, boolean database, @Nullable Throwable cause) {
        close(database, why);
        return outage(cause);
    }

    private synchronized OutageException outage(@Nullable Throwable cause) {
        Duration wait = Duration.ofNanos(Math.max(1_000_000, probeAt - System.nanoTime()));
        return new OutageException(
                "Group " + group + " is paused: " + reason + " Deliver the event again later.", wait, cause);
    }

    private void close(boolean database, String why) {
        boolean begins;
        synchronized (this) {
            begins = !closed;
            Duration doubled = pause.multipliedBy(2);
            pause = begins ? FIRST_PAUSE : doubled.compareTo(longestPause) < 0 ? doubled : longestPause;
            closed = true;
            databaseOut = database;
            reason = why.endsWith(".") ? why : why + ".";
            probeAt = System.nanoTime() + pause.toNanos();
            if (begins) {
                closedAt = System.nanoTime();
            }
        }
        if (begins) {
            LOG.warn("Group {} pauses: {} One event at a time is tried until one succeeds.", group, why);
            listener.outageBegan(why);
        }
    }
}
