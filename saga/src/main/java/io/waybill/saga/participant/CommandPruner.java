package io.waybill.saga.participant;

import io.waybill.time.Ticker;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes old commands every so many commands, and at least once a minute while commands arrive. It removes more than arrive, so the
 * table stops growing at the retention. A participant needs no thread of its own for this.
 */
final class CommandPruner {
    private static final Logger LOG = LoggerFactory.getLogger(SagaParticipant.class);
    private static final int EVERY = 500;
    private static final int LIMIT = 1_000;
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private final Pruning pruning;
    private final Ticker ticker;
    private int commands;
    private long last;

    /** Removes old commands in a transaction of its own. */
    @FunctionalInterface
    interface Pruning {
        int prune(int limit);
    }

    CommandPruner(Pruning pruning, Ticker ticker) {
        this.pruning = pruning;
        this.ticker = ticker;
        this.last = ticker.nanos();
    }

    void maybePrune() {
        if (!isDue()) {
            return;
        }
        try {
            pruning.prune(LIMIT);
        } catch (RuntimeException e) { // the command itself is not affected
            LOG.warn("Cannot remove old commands of sagas; trying again later: {}", e.toString());
        }
    }

    private synchronized boolean isDue() {
        commands++;
        if (commands < EVERY && ticker.nanos() - last < LONGEST_PAUSE.toNanos()) {
            return false;
        }
        commands = 0;
        last = ticker.nanos();
        return true;
    }
}
