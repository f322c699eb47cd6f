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
 * What transports over one connection have in common: messages go through a {@link BrokerConnection}, which is opened when it is needed and
 * thrown away when it fails, and each message is told a result within the send timeout, whatever the client of the broker does.
 */
public final class ConfirmedSender {
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofMinutes(30);
    private static final Duration LONGEST_PROBE = Duration.ofSeconds(5);

    private final String broker;
    private final Duration sendTimeout;
    private final InFlight inFlight = new InFlight();
    private final Publisher publisher;
    private final ScheduledExecutorService watch;
    private volatile boolean closed;

    /**
     * @param broker its name in messages
     * @param opener opens a link within {@link #patience}, or throws {@code WaybillException} with the reason and the remedy
     */
    public ConfirmedSender(String broker, Duration sendTimeout, Supplier<BrokerConnection> opener) {
        this.broker = broker;
        this.sendTimeout = sendTimeout;
        this.publisher = new Publisher("waybill-publisher", opener);
        publisher.start();
        this.watch = Daemons.every(sendTimeout.dividedBy(20), "waybill-publisher-watch", this::giveUpOverdue);
    }

    /** How long a connection, or the answer to a question, may take when a message has so much time. */
    public static Duration patience(Duration sendTimeout) {
        if (sendTimeout.compareTo(SHORTEST) < 0 || sendTimeout.compareTo(LONGEST) > 0) {
            throw new WaybillException(
                    "The sendTimeout must lie between 1 second and 30 minutes, not " + sendTimeout + ".");
        }
        return probeLimit(sendTimeout).dividedBy(2);
    }

    private static Duration probeLimit(Duration sendTimeout) {
        return sendTimeout.compareTo(LONGEST_PROBE) < 0 ? sendTimeout : LONGEST_PROBE;
    }

    public void send(Message message, Delivery delivery) {
        PendingMessage tracked = new PendingMessage(message, delivery, inFlight);
        inFlight.add(tracked);
        // Asked after the message was added: either this thread sees the mark, or close() sees the message.
        if (closed) {
            tracked.failed(closedBefore());
        } else {
            publisher.add(tracked);
        }
    }

    /** Asks the broker on a thread of its own; the question has its own limits, but looking a name up has none. */
    public void probe(Runnable question) {
        BrokerConnection link = publisher.current();
        String blocked = link == null ? null : link.blocked();
        if (blocked != null) {
            throw new WaybillException(
                    broker + " blocks publishers: " + blocked + ". Free memory or disk space on its node.");
        }
        if (closed) {
            throw new WaybillException("The transport to " + broker + " is closed. Build a new one.");
        }
        Daemons.within(probeLimit(sendTimeout), "Asking " + broker, () -> {
            question.run();
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

    private void giveUpOverdue() {
        Duration limit = sendTimeout.multipliedBy(9).dividedBy(10);
        List<PendingMessage> overdue = inFlight.olderThan(limit);
        if (overdue.isEmpty()) {
            return;
        }
        BrokerConnection link = publisher.current();
        String why = link == null ? "it was not reached in time." : silence(link, System.nanoTime() - limit.toNanos());
        overdue.forEach(
                message -> message.failed(Failure.outage(broker + " did not take " + message.event() + ": " + why)));
    }

    /**
     * A link that is silent as a whole is replaced. One queue or stream may be silent while others answer: then the link is good,
     * and only those messages are given up on.
     */
    private static String silence(BrokerConnection link, long since) {
        long writing = link.writingSince();
        @Nullable String blocked = link.blocked();
        if (writing != 0 && writing - since < 0) {
            link.lose("It does not read what is sent to it.");
        } else if (blocked == null && link.heardAt() - since < 0) {
            link.lose("It does not answer.");
        }
        return blocked == null ? "there was no answer in time." : "it blocks publishers (" + blocked + ").";
    }
}
