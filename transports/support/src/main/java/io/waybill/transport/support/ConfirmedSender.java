package io.waybill.transport.support;

import io.waybill.WaybillException;
import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages through a {@link BrokerConnection}, which it opens on demand and replaces after an error. Completes each message within
 * the send timeout, even if the broker's client never reports a result.
 */
public final class ConfirmedSender {
    private static final Duration MIN_SEND_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration MAX_SEND_TIMEOUT = Duration.ofMinutes(30);
    private static final Duration MAX_PROBE_TIMEOUT = Duration.ofSeconds(5);

    private final String broker;
    private final Duration sendTimeout;
    private final InFlight inFlight = new InFlight();
    private final Publisher publisher;
    private final ScheduledExecutorService watch;
    private volatile boolean closed;

    /**
     * @param broker the broker's name for error messages
     * @param opener opens a connection within {@link #connectTimeout}, or throws {@code WaybillException} with the reason and the remedy
     */
    public ConfirmedSender(String broker, Duration sendTimeout, Supplier<BrokerConnection> opener) {
        this.broker = broker;
        this.sendTimeout = sendTimeout;
        this.publisher = new Publisher("waybill-publisher", opener);
        publisher.start();
        this.watch = Daemons.every(sendTimeout.dividedBy(20), "waybill-publisher-watch", this::failOverdue);
    }

    /** Returns the limit for opening a connection, and for each request on it, that fits the send timeout. */
    public static Duration connectTimeout(Duration sendTimeout) {
        if (sendTimeout.compareTo(MIN_SEND_TIMEOUT) < 0 || sendTimeout.compareTo(MAX_SEND_TIMEOUT) > 0) {
            throw new WaybillException(
                    "The sendTimeout must be between 1 second and 30 minutes, not " + sendTimeout + ".");
        }
        return probeTimeout(sendTimeout).dividedBy(2);
    }

    private static Duration probeTimeout(Duration sendTimeout) {
        return sendTimeout.compareTo(MAX_PROBE_TIMEOUT) < 0 ? sendTimeout : MAX_PROBE_TIMEOUT;
    }

    public void send(Message message, Delivery delivery) {
        PendingMessage pending = new PendingMessage(message, delivery, inFlight);
        inFlight.add(pending);
        // Checked after the message was added: either this thread sees the flag, or close() sees the message.
        if (closed) {
            pending.failed(closedBefore());
        } else {
            publisher.add(pending);
        }
    }

    /** Runs the check on a thread of its own with a time limit, because a DNS lookup inside the check has no limit. */
    public void probe(Runnable check) {
        BrokerConnection connection = publisher.current();
        String blockedReason = connection == null ? null : connection.blockedReason();
        if (blockedReason != null) {
            throw new WaybillException(
                    broker + " blocks publishers: " + blockedReason + ". Free memory or disk space on its node.");
        }
        if (closed) {
            throw new WaybillException("The transport to " + broker + " is closed. Build a new one.");
        }
        Daemons.within(probeTimeout(sendTimeout), "Asking " + broker, () -> {
            check.run();
            return true;
        });
    }

    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        inFlight.awaitNone(sendTimeout.dividedBy(3));
        watch.shutdownNow();
        publisher.close();
        inFlight.failAll(closedBefore());
    }

    private Failure closedBefore() {
        return Failure.outage("The transport to " + broker + " was closed before the event was acknowledged.");
    }

    private void failOverdue() {
        Duration limit = sendTimeout.multipliedBy(9).dividedBy(10);
        List<PendingMessage> overdue = inFlight.olderThan(limit);
        if (overdue.isEmpty()) {
            return;
        }
        BrokerConnection connection = publisher.current();
        String why = connection == null
                ? "no connection could be opened in time."
                : abortIfSilent(connection, System.nanoTime() - limit.toNanos());
        overdue.forEach(
                message -> message.failed(Failure.outage(broker + " did not accept " + message.event() + ": " + why)));
    }

    /**
     * Aborts the connection if the broker has not answered anything on it since the given time. If only one queue or stream does
     * not answer, the connection stays open and only the overdue messages fail.
     *
     * @return the reason for the failure of the overdue messages
     */
    private static String abortIfSilent(BrokerConnection connection, long since) {
        long writing = connection.writingSince();
        @Nullable String blockedReason = connection.blockedReason();
        if (writing != 0 && writing - since < 0) {
            connection.abort("The broker does not read from the connection.");
        } else if (blockedReason == null && connection.lastResponseAt() - since < 0) {
            connection.abort("The broker does not answer.");
        }
        return blockedReason == null ? "there was no answer in time." : "it blocks publishers (" + blockedReason + ").";
    }
}
