package io.waybill.testkit.network;

import static java.util.Objects.requireNonNull;

import io.waybill.embedded.FreePort;
import io.waybill.testkit.network.NetworkFaults.Direction;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A proxy on 127.0.0.1 between clients and a local server that simulates network faults.
 *
 * <p>A fault affects open and new connections at once, until {@link #heal()}. Several faults can be active together. The
 * proxy serves {@value #MOST_CONNECTIONS} connections at a time and closes further ones. Its threads are daemons.
 */
public final class TcpProxy implements AutoCloseable {

    static final int MOST_CONNECTIONS = 256;

    /** Connection attempts to a suspended server with a full queue block, and cut() waits for them. */
    private static final int CONNECT_MILLIS = 2_000;

    private final int port;
    private volatile int targetPort;
    private final NetworkFaults faults = new NetworkFaults();
    private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
    private final AtomicInteger requests = new AtomicInteger();
    /** Serialises cut, heal and close. The acceptor thread never acquires it, so that these methods can wait for that thread to end. */
    private final Object switching = new Object();

    private @Nullable Thread acceptor;
    private @Nullable ServerSocket listener;
    private boolean closed;

    private TcpProxy(int port, int targetPort) {
        this.port = port;
        this.targetPort = targetPort;
    }

    /** Starts a proxy to a port on 127.0.0.1. The server need not run yet. */
    public static TcpProxy to(int targetPort) {
        TcpProxy proxy = new TcpProxy(FreePort.find(), targetPort);
        proxy.heal();
        return proxy;
    }

    /** The port that clients connect to. It never changes. */
    public int port() {
        return port;
    }

    /** Closes all connections and refuses new ones. */
    public void cut() {
        synchronized (switching) {
            synchronized (this) {
                if (listener != null) {
                    close(listener);
                    listener = null;
                }
                connections.forEach(ProxiedConnection::close);
            }
            // The kernel keeps a closed listener open until the thread that is blocked in accept returns. Until then
            // it still accepts connections.
            awaitAcceptor();
        }
    }

    /** Drops all data from the server: requests arrive and are executed, but no answer comes back. */
    public void dropToClient() {
        faults.drop(Direction.TO_CLIENT);
    }

    /** Drops all data from clients: the connection looks healthy, but no request arrives. */
    public void dropToServer() {
        faults.drop(Direction.TO_SERVER);
    }

    /** Delays every chunk of data (up to 64 KiB) by this time, in both directions. */
    public void delay(Duration delay) {
        faults.delay(requireNonNull(delay, "delay"));
    }

    /** Limits each direction of each connection to this many bytes per second. */
    public void throttle(long bytesPerSecond) {
        if (bytesPerSecond < 1) {
            throw new IllegalArgumentException(
                    "A throttled connection needs at least one byte per second, not " + bytesPerSecond);
        }
        faults.throttle(bytesPerSecond);
    }

    /** Closes all connections and leads new ones to another port, as an address does after a failover. */
    public void moveTo(int port) {
        synchronized (switching) {
            boolean listening = acceptor != null;
            cut();
            targetPort = port;
            if (listening && !closed) {
                listen();
            }
        }
    }

    /** Ends all faults. Connections that lost data are closed, because TCP never lets a peer see a gap. */
    public void heal() {
        synchronized (switching) {
            // A copying thread drops a chunk and records the loss under this monitor. A loss is therefore recorded
            // before this block closes the connection, or it does not happen. No data is delivered after a gap.
            synchronized (faults) {
                faults.clear();
                connections.forEach(ProxiedConnection::closeIfItLostData);
            }
            if (!closed && acceptor == null) {
                listen();
            }
        }
    }

    /** Returns the number of open connections. */
    public int connections() {
        return connections.size();
    }

    /** Returns the number of requests. All data that a client sends before the next answer is one request. */
    public int requests() {
        return requests.get();
    }

    @Override
    public void close() {
        synchronized (switching) {
            closed = true;
            cut();
        }
    }

    private void listen() {
        try {
            ServerSocket socket = new ServerSocket(port, 50, loopback());
            synchronized (this) {
                listener = socket;
            }
            acceptor = ProxiedConnection.daemon("tcp-proxy-" + port, () -> accept(socket));
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "The proxy to port " + targetPort + " cannot listen on port " + port
                            + ". Find the program that took the port while the proxy was cut.",
                    e);
        }
    }

    private void awaitAcceptor() {
        try {
            if (acceptor != null) {
                acceptor.join();
                acceptor = null;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while cutting the proxy on port " + port, e);
        }
    }

    private void accept(ServerSocket socket) {
        while (!socket.isClosed()) {
            try {
                connect(socket, socket.accept());
            } catch (IOException listenerClosed) {
                // If the listener was closed, the loop ends. If a client in the queue gave up, the loop continues.
            }
        }
    }

    private void connect(ServerSocket acceptedBy, Socket client) {
        Socket server = new Socket();
        try {
            if (connections.size() >= MOST_CONNECTIONS) {
                throw new IOException("too many connections");
            }
            server.connect(new InetSocketAddress(loopback(), targetPort), CONNECT_MILLIS);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
        } catch (IOException refused) {
            close(client);
            close(server);
            return;
        }
        ProxiedConnection connection = new ProxiedConnection(client, server, faults, connections, requests);
        // cut() runs in the thread of the test. Without the lock, it could close all known connections between the
        // check and
        // the start below, and this connection would stay open.
        synchronized (this) {
            if (listener == acceptedBy) {
                connection.start();
            } else {
                connection.close();
            }
        }
    }

    /** Always IPv4, like the servers. The loopback address of the JDK can be an IPv6 address. */
    private static InetAddress loopback() throws UnknownHostException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    }

    static void close(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception alreadyBroken) {
            // closed already
        }
    }
}
