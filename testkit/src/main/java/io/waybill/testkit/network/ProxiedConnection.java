package io.waybill.testkit.network;

import io.waybill.testkit.network.NetworkFaults.Direction;
import java.io.IOException;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** The connection of one client through a {@link TcpProxy}, with a thread for each direction. */
final class ProxiedConnection {

    private static final int CHUNK = 64 * 1024;

    private final Socket client;
    private final Socket server;
    private final NetworkFaults faults;
    private final Set<ProxiedConnection> open;
    private final AtomicInteger requests;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final AtomicReference<Direction> last = new AtomicReference<>(Direction.TO_CLIENT);
    private boolean lostData;

    /** @param requests is incremented for each request: all data that the client sends before the next answer */
    ProxiedConnection(
            Socket client, Socket server, NetworkFaults faults, Set<ProxiedConnection> open, AtomicInteger requests) {
        this.client = client;
        this.server = server;
        this.faults = faults;
        this.open = open;
        this.requests = requests;
    }

    void start() {
        open.add(this);
        daemon("tcp-proxy-to-server", () -> copy(client, server, Direction.TO_SERVER, Direction.TO_CLIENT));
        daemon("tcp-proxy-to-client", () -> copy(server, client, Direction.TO_CLIENT, Direction.TO_SERVER));
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
     * Copies data until one side closes the connection, then closes the other side. If a fault drops data in that
     * direction, it also drops this signal: the peer sees a silent connection, as after a network failure.
     */
    private void copy(Socket from, Socket to, Direction direction, Direction back) {
        byte[] chunk = new byte[CHUNK];
        for (int length = read(from, chunk); length >= 0; length = read(from, chunk)) {
            if (last.getAndSet(direction) != direction && direction == Direction.TO_SERVER) {
                requests.incrementAndGet();
            }
            if (closedWithin(faults.delay(length).toMillis())) {
                return;
            }
            if (!drops(direction) && !write(to, chunk, length) && !drops(back)) {
                close();
                return;
            }
        }
        if (!drops(direction)) {
            close();
        }
    }

    private boolean drops(Direction direction) {
        synchronized (faults) {
            boolean drops = faults.drops(direction);
            lostData |= drops;
            return drops;
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

    private static int read(Socket from, byte[] chunk) {
        try {
            return from.getInputStream().read(chunk);
        } catch (IOException broken) {
            return -1;
        }
    }

    private static boolean write(Socket to, byte[] chunk, int length) {
        try {
            to.getOutputStream().write(chunk, 0, length);
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
