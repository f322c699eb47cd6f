package io.waybill.transport.internal;

import io.waybill.WaybillException;
import io.waybill.transport.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread writes to the broker and opens the link when there is none. So whoever sends never waits for the network, and a
 * connection that hangs holds up nobody else.
 */
final class Publisher implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(Publisher.class);
    private static final int LOOK_MILLIS = 20;

    private final Supplier<Link> opener;
    private final BlockingQueue<Tracked> waiting = new LinkedBlockingQueue<>();
    private final Thread thread;
    private volatile @Nullable Link link;
    private volatile boolean closed;
    private String unreachable = "";

    Publisher(String name, Supplier<Link> opener) {
        this.opener = opener;
        this.thread = Daemons.named(name).newThread(this);
    }

    void start() {
        thread.start();
    }

    void add(Tracked message) {
        waiting.add(message);
    }

    /** The open link, if there is one. */
    @Nullable
    Link current() {
        Link last = link;
        return last == null || !last.isOpen() ? null : last;
    }

    @Override
    public void run() {
        try {
            while (!closed) {
                Tracked next = waiting.take();
                try {
                    if (!next.isTold()) {
                        publish(next);
                    }
                } catch (RuntimeException | Error e) {
                    // This thread must live on for the other messages.
                    log.error("The broker's client failed", e);
                    next.failed(Failure.outage("The broker's client failed for " + next.event() + ": " + e));
                }
            }
        } catch (InterruptedException e) {
            // closed; whoever closes answers for what waits
        }
    }

    private void publish(Tracked next) throws InterruptedException {
        Link open = open();
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
            open.publish(next);
        }
    }

    private @Nullable Link open() {
        Link open = current();
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
    private void refuse(Tracked first) {
        List<Tracked> all = new ArrayList<>(List.of(first));
        waiting.drainTo(all);
        all.forEach(message ->
                message.failed(Failure.outage(unreachable + " So " + message.event() + " could not be sent.")));
    }

    void close() {
        closed = true;
        thread.interrupt();
        Link last = link;
        if (last != null) {
            last.close();
        }
    }
}
