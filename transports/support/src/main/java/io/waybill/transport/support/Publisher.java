package io.waybill.transport.support;

import io.waybill.WaybillException;
import io.waybill.internal.DaemonThreads;
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
 * Writes messages to the broker. One thread opens the connection and writes the queued messages. When the connection is open and idle,
 * the sending thread writes directly, because waking the publisher thread takes longer than the write. So at most one sending thread
 * blocks on a hanging connection, until the {@link ConfirmedSender} aborts it.
 */
final class Publisher implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(Publisher.class);
    private static final int BLOCKED_POLL_MILLIS = 20;

    private final Supplier<BrokerConnection> opener;
    private final BlockingQueue<PendingMessage> queue = new LinkedBlockingQueue<>();
    private final ReentrantLock writeLock = new ReentrantLock();
    private final Thread thread;
    private volatile @Nullable BrokerConnection connection;
    private volatile boolean closed;
    private String unreachable = "";

    Publisher(String name, Supplier<BrokerConnection> opener) {
        this.opener = opener;
        this.thread = DaemonThreads.create(name, this);
    }

    void start() {
        thread.start();
    }

    void add(PendingMessage message) {
        if (!publishDirectly(message)) {
            queue.add(message);
        }
    }

    private boolean publishDirectly(PendingMessage message) {
        if (!queue.isEmpty() || !writeLock.tryLock()) {
            return false;
        }
        try {
            BrokerConnection open = current();
            if (open == null || open.blockedReason() != null) {
                return false;
            }
            open.publish(message);
        } catch (RuntimeException | Error e) {
            clientFailed(message, e);
        } finally {
            writeLock.unlock();
        }
        return true;
    }

    private static void clientFailed(PendingMessage message, Throwable cause) {
        log.error("The broker's client failed for {}", message.event(), cause);
        message.failed(Failure.outage("The broker's client failed for " + message.event() + ": " + cause));
    }

    /** Returns the open connection, or null. */
    @Nullable
    BrokerConnection current() {
        BrokerConnection last = connection;
        return last == null || !last.isOpen() ? null : last;
    }

    @Override
    public void run() {
        try {
            while (!closed) {
                PendingMessage next = queue.take();
                try {
                    if (!next.isCompleted()) {
                        publish(next);
                    }
                } catch (RuntimeException | Error e) {
                    clientFailed(next, e); // this thread continues with the other messages
                }
            }
        } catch (InterruptedException e) {
            // The transport is closing; ConfirmedSender.close() fails the queued messages.
        }
    }

    private void publish(PendingMessage next) throws InterruptedException {
        BrokerConnection open = open();
        if (open == null) {
            failAllQueued(next);
            return;
        }
        // A blocked broker does not read from this connection. A message written now could arrive long after it was
        // reported as failed.
        while (open.blockedReason() != null && open.isOpen() && !next.isCompleted()) {
            TimeUnit.MILLISECONDS.sleep(BLOCKED_POLL_MILLIS);
        }
        if (!next.isCompleted()) {
            writeLock.lock();
            try {
                open.publish(next);
            } finally {
                writeLock.unlock();
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
        connection = open;
        // Checked after the connection was stored: either this thread sees the flag, or close() sees the connection.
        if (closed) {
            open.close();
        }
        return open;
    }

    /** Also fails all queued messages, because each of them would wait for another failing attempt to connect. */
    private void failAllQueued(PendingMessage first) {
        List<PendingMessage> all = new ArrayList<>(List.of(first));
        queue.drainTo(all);
        all.forEach(message ->
                message.failed(Failure.outage(unreachable + " Therefore " + message.event() + " was not sent.")));
    }

    void close() {
        closed = true;
        thread.interrupt();
        BrokerConnection last = connection;
        if (last != null) {
            last.close();
        }
    }
}
