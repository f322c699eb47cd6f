package io.waybill.relay;

import io.waybill.internal.LogText;
import io.waybill.time.Ticker;
import io.waybill.transport.Transport;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pauses all lanes while the broker is down, so that an outage uses up no attempts and does not flood the log. The poller probes
 * the broker with exponential back-off and closes the breaker when the broker answers.
 *
 * <p>A relay is serving from the first answer of the broker until the breaker has been open for a grace period.
 */
final class CircuitBreaker {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);
    private static final long FIRST_PAUSE = 100_000_000L;
    private static final long LONGEST_PAUSE = 5_000_000_000L;

    private final Transport transport;
    private final RelayListener listener;
    private final Ticker ticker;
    private Runnable onBrokerAnswers = () -> {};
    private boolean hasAnswered;
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

    /** @param action runs when the broker answers for the first time, and after each outage */
    void onBrokerAnswers(Runnable action) {
        onBrokerAnswers = action;
    }

    /** Whether this relay is serving. An outage shorter than the grace period is ignored: it may affect all relays alike. */
    synchronized boolean isServing(Duration gracePeriod) {
        return hasAnswered && !(open && ticker.nanos() - openedAt >= gracePeriod.toNanos());
    }

    /** Probes the broker when the relay starts, so that an unreachable broker is reported before the first event. */
    void start() {
        try {
            transport.probe();
        } catch (RuntimeException e) {
            open(String.valueOf(e.getMessage()));
            return;
        }
        synchronized (this) {
            hasAnswered = true;
        }
        onBrokerAnswers.run();
    }

    /**
     * Probes the broker after a send failed in a way that suggests an outage. If the broker answers, only a topic or a partition
     * is affected, and the breaker stays closed.
     *
     * @return whether the broker is down
     */
    boolean confirmOutage(String reason) {
        if (isOpen()) {
            return true;
        }
        try {
            transport.probe();
            synchronized (this) {
                hasAnswered = true;
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
        LOG.warn("The broker is down: {} All lanes pause until it answers.", LogText.oneLine(reason));
        listener.outageBegan(reason);
    }

    /** Called by the poller: probes the broker if the breaker is open and the pause is over. */
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
            hasAnswered = true;
            duration = Duration.ofNanos(ticker.nanos() - openedAt);
        }
        LOG.info("The broker answers again after {} s", duration.toMillis() / 1_000.0);
        listener.outageEnded(duration);
        onBrokerAnswers.run();
    }
}
