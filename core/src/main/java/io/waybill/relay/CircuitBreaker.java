package io.waybill.relay;

import io.waybill.internal.LogText;
import io.waybill.transport.Transport;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pauses all lanes while the broker is out, so that an outage burns no attempts and floods no log. The poller probes with
 * growing pauses and closes the breaker when the broker answers.
 *
 * <p>A relay serves once it has reached the broker, until the breaker has been open for the time of a lease.
 */
final class CircuitBreaker {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);
    private static final long FIRST_PAUSE = 100_000_000L;
    private static final long LONGEST_PAUSE = 5_000_000_000L;

    private final Transport transport;
    private final RelayListener listener;
    private final Ticker ticker;
    private Runnable onServing = () -> {};
    private boolean reached;
    private boolean open;
    private long openedAt;
    private Pause pause = Pause.NONE;

    CircuitBreaker(Transport transport, RelayListener listener, Ticker ticker) {
        this.transport = transport;
        this.listener = listener;
        this.ticker = ticker;
    }

    synchronized boolean isOpen() {
        return open;
    }

    /** @param action called when the broker answers for the first time, or again */
    void onServing(Runnable action) {
        onServing = action;
    }

    /** Whether this relay can publish. A short outage, which may hit all relays alike, does not count. */
    synchronized boolean serves(Duration patience) {
        return reached && !(open && ticker.nanos() - openedAt >= patience.toNanos());
    }

    /** The first probe: a relay whose broker does not answer says so at once, before there is any event. */
    void begin() {
        try {
            transport.probe();
        } catch (RuntimeException e) {
            open(String.valueOf(e.getMessage()));
            return;
        }
        synchronized (this) {
            reached = true;
        }
        onServing.run();
    }

    /**
     * A send failed as if the broker were out. Asks the broker: when it answers, the trouble belongs to a topic or
     * partition and the breaker stays closed.
     *
     * @return whether the broker is out
     */
    boolean suspect(String reason) {
        if (isOpen()) {
            return true;
        }
        try {
            transport.probe();
            synchronized (this) {
                reached = true;
            }
            return false;
        } catch (RuntimeException e) {
            open(reason);
            return true;
        }
    }

    private synchronized void open(String reason) {
        if (open) {
            return;
        }
        open = true;
        openedAt = ticker.nanos();
        pause = new Pause(openedAt, FIRST_PAUSE);
        LOG.warn("The broker is out: {} All lanes pause until it answers.", LogText.oneLine(reason));
        listener.outageBegan(reason);
    }

    /** Called by the poller: probes when it is time to. */
    void probeIfDue() {
        synchronized (this) {
            if (!open || !pause.over(ticker.nanos())) {
                return;
            }
        }
        try {
            transport.probe(); // outside the lock: it may take seconds
        } catch (RuntimeException e) {
            synchronized (this) {
                pause = new Pause(ticker.nanos(), Math.min(pause.nanos() * 2, LONGEST_PAUSE));
            }
            return;
        }
        Duration duration;
        synchronized (this) {
            open = false;
            reached = true;
            duration = Duration.ofNanos(ticker.nanos() - openedAt);
        }
        LOG.info("The broker answers again after {} s", duration.toMillis() / 1_000.0);
        listener.outageEnded(duration);
        onServing.run();
    }
}
