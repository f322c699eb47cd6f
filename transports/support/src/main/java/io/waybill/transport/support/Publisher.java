package io.waybill.transport.support;

import io.waybill.WaybillException;
import io.waybill.transport.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread opens the link when there is none, and writes to the broker what others have left to it. Whoever finds a link where
 * nobody writes does so himself: to wake a thread takes longer than to write a message. So one sender at most waits for a
 * connection that hangs, until the {@link ConfirmedSender} ends it.
 */
final class Publisher implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(Publisher.class);
    private static final int LOOK_MILLIS = 20;

    private final Supplier<BrokerConnection> opener;
    private final BlockingQueue<PendingMessage> waiting = new LinkedBlockingQueue<>();
    private final ReentrantLock turn = new ReentrantLock();
    private final Thread thread;
    private volatile @Nullable BrokerConnection link;
    private volatile boolean closed;
    private String unreachable = "";

    Publisher(String name, Supplier<BrokerConnection> opener) {
        this.opener = opener;
        this.thread = Daemons.named(name).newThread(this);
    }

    void start() {
        thread.start();
    }

    void add(PendingMessage message) {
        if (!publishAtOnce(message)) {
            waiting.add(message);
        }
    }

    private boolean publishAtOnce(PendingMessage message) {
        if (!waiting.isEmpty() || !turn.tryLock()) {
            return false;
        }
        try {
            BrokerConnection open = current();
            if (open == null || open.blocked() != null) {
                return false;
            }
            open.publish(message);
        } catch (RuntimeException | Error e) {
            clientFailed(message, e);
        } finally {
            turn.unlock();
        }
        return true;
    }

    private static void clientFailed(PendingMessage message, Throwable cause) {
        log.error("The broker's client failed", cause);
        message.failed(Failure.outage("The broker's client failed for " + message.event() + ": " + cause));
    }

    /** The open link, if there is one. */
    @Nullable
    BrokerConnection current() {
        BrokerConnection last = link;
        return last == null || !last.isOpen() ? null : last;
    }

    @Override
    public void run() {
        try {
            while (!closed) {
                PendingMessage next = waiting.take();
                try {
                    if (!next.isTold()) {
                        publish(next);
                    }
                } catch (RuntimeException | Error e) {
                    clientFailed(next, e); // and this thread must live on for the other messages
                }
            }
        } catch (InterruptedException e) {
            // closed; whoever closes answers for what waits
        }
    }

    private void publish(PendingMessage next) throws InterruptedException {
        BrokerConnection open = open();
        if (open == null) {
            refuse(next);
            return;
        }
        // A blocked broker reads nothing more from this connection: written now, the message would come at any later
        // time.
        while (open.blocked() != null && open.isOpen() && !next.isTold()) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
        if (!next.isTold()) {
            turn.lock();
            try {
                open.publish(next);
            } finally {
                turn.unlock();
            }
        }
    }

    private @Nullable BrokerConnection open() {
        BrokerConnection open = current();
        if (open != null) {
            return open;
        }
        try {
            open = opener.get();
        } catch (WaybillException e) {
            unreachable = String.valueOf(e.getMessage());
            return null;
        }
        link = open;
        // Asked after the link was stored: either this thread sees the mark, or close() sees the link.
        if (closed) {
            open.close();
        }
        return open;
    }

    /** All that wait, too: each would only find out the same, one after the other. */
    private void refuse(PendingMessage first) {
        List<PendingMessage> all = new ArrayList<>(List.of(first));
        waiting.drainTo(all);
        all.forEach(message ->
                message.failed(Failure.outage(unreachable + " So " + message.event() + " could not be sent.")));
    }

    void close() {
        closed = true;
        thread.interrupt();
        BrokerConnection last = link;
        if (last != null) {
            last.close();
        }
    }
}
