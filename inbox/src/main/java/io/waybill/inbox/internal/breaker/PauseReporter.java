package io.waybill.inbox.internal.breaker;

import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.InboxView;
import io.waybill.time.Ticker;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the pause of this consumer to the database, where {@link InboxView} shows it to operators. The row expires, so that the
 * pause of a crashed consumer disappears. While the database is down, nothing is written, and the view fails as well.
 */
public final class PauseReporter {
    private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);
    private static final Duration VALID = Duration.ofMinutes(2);
    private static final long EVERY = 5_000_000_000L;

    private final InboxStore<?> store;
    private final String group;
    private final CircuitBreaker breaker;
    private final Ticker ticker;
    private final String consumer = UUID.randomUUID().toString();
    private boolean shown;
    private long nextWriteAt;

    public PauseReporter(InboxStore<?> store, String group, CircuitBreaker breaker, Ticker ticker) {
        this.store = store;
        this.group = group;
        this.breaker = breaker;
        this.ticker = ticker;
    }

    public synchronized void update() {
        Optional<CircuitBreaker.Pause> pause = breaker.pause();
        try {
            if (pause.isEmpty()) {
                end();
            } else if (!shown || ticker.nanos() - nextWriteAt >= 0) {
                nextWriteAt = ticker.nanos() + EVERY;
                shown = true; // set before the write: if the response is lost, the row must still be removed later
                store.showPause(
                        group, consumer, pause.get().lasts(), pause.get().reason(), VALID);
            }
        } catch (RuntimeException e) {
            LOG.debug("Group {} could not write its pause to the database", group, e);
        }
    }

    /** Removes the row when the pause ends or the consumer is closed. */
    public synchronized void end() {
        if (shown) {
            store.endPause(group, consumer);
            shown = false;
        }
    }
}
