package io.waybill.testkit.faults;

import io.waybill.testkit.faults.Faults.Way;
import java.io.IOException;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** One client's connection through a {@link TcpProxy}, with a thread for each way. */
final class ProxiedConnection {

    private static final int PIECE = 64 * 1024;

    private final Socket client;
    private final Socket server;
    private final Faults faults;
    private final Set<ProxiedConnection> open;
    private final AtomicInteger requests;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final AtomicReference<Way> last = new AtomicReference<>(Way.TO_CLIENT);
    private boolean lostData;

    /** @param requests counts what the client sends, up to the answer */
    ProxiedConnection(
            Socket client, Socket server, Faults faults, Set<ProxiedConnection> open, AtomicInteger requests) {
        this.client = client;
        this.server = server;
        this.faults = faults;
        this.open = open;
        this.requests = requests;
    }

    void start() {
        open.add(this);
        daemon("tcp-proxy-to-server", () -> move(client, server, Way.TO_SERVER, Way.TO_CLIENT));
        daemon("tcp-proxy-to-client", () -> move(server, client, Way.TO_CLIENT, Way.TO_SERVER));
    }

    void close() {
        closed.countDown();
        open.remove(this);
        TcpProxy.close(client);
        TcpProxy.close(server);
    }

    void closeIfItLostData() {
        synchronized (faults) {
            if (lostData) {
                close();
            }
        }
    }

    /**
     * Moves data until one side is gone. That news is data as well: it travels back from a failed write and forward
     * from an ended read, and a fault on its way swallows it. The other side then sees a silent connection, as it would
     * with a lost network.
     */
    private void move(Socket from, Socket to, Way way, Way back) {
        byte[] piece = new byte[PIECE];
        for (int length = read(from, piece); length >= 0; length = read(from, piece)) {
            if (last.getAndSet(way) != way && way == Way.TO_SERVER) {
                requests.incrementAndGet();
            }
            if (closedWithin(faults.delay(length).toMillis())) {
                return;
            }
            if (!swallows(way) && !write(to, piece, length) && !swallows(back)) {
                close();
                return;
            }
        }
        if (!swallows(way)) {
            close();
        }
    }

    private boolean swallows(Way way) {
        synchronized (faults) {
            boolean swallows = faults.drops(way);
            lostData |= swallows;
            return swallows;
        }
    }

    private boolean closedWithin(long millis) {
        try {
            return closed.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
            return true;
        }
    }

    private static int read(Socket from, byte[] piece) {
        try {
            return from.getInputStream().read(piece);
        } catch (IOException broken) {
            return -1;
        }
    }

    private static boolean write(Socket to, byte[] piece, int length) {
        try {
            to.getOutputStream().write(piece, 0, length);
            return true;
        } catch (IOException broken) {
            return false;
        }
    }

    static Thread daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
