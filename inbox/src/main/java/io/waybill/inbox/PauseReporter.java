package io.waybill.inbox;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes this consumer's pause to the database, where {@link InboxView} shows it to operators. The row expires, so that the pause
 * of a consumer that died does not stay. While the database is out, there is nothing to write to, and the view fails by itself.
 */
final class PauseReport {
    private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);
    private static final Duration VALID = Duration.ofMinutes(2);
    private static final long EVERY = 5_000_000_000L;

    private final InboxStore<?> store;
    private final String group;
    private final CircuitBreaker gate;
    private final String consumer = UUID.randomUUID().toString();
    private boolean shown;
    private long againAt;

    PauseReport(InboxStore<?> store, String group, CircuitBreaker gate) {
        this.store = store;
        this.group = group;
        this.gate = gate;
    }

    synchronized void update() {
        Optional<CircuitBreaker.Pause> pause = gate.pause();
        try {
            if (pause.isEmpty()) {
                end();
            } else if (!shown || System.nanoTime() - againAt >= 0) {
                againAt = System.nanoTime() + EVERY;
                shown = true; // before the write: a lost answer must not leave the row there
                store.showPause(
                        group, consumer, pause.get().lasts(), pause.get().reason(), VALID);
            }
        } catch (RuntimeException e) {
            LOG.debug("Group {} could not write its pause to the database", group, e);
        }
    }

    /** Removes the row at the end of the pause or of the consumer. */
    synchronized void end() {
        if (shown) {
            store.endPause(group, consumer);
            shown = false;
        }
    }
}
