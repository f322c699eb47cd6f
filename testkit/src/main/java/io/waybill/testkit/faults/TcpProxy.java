package io.waybill.testkit.faults;

import static java.util.Objects.requireNonNull;

import io.waybill.embedded.FreePort;
import io.waybill.testkit.faults.Faults.Way;
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
 * A proxy on 127.0.0.1 between a client and a local server that can break the connection in the ways a network does.
 *
 * <p>A fault acts on open and new connections at once and stays until {@link #heal()}; several can act together. The
 * proxy serves {@value #MOST_CONNECTIONS} connections at a time and closes further ones. Its threads are daemons.
 */
public final class TcpProxy implements AutoCloseable {

    static final int MOST_CONNECTIONS = 256;

    /** A suspended target with a full queue lets connection attempts hang, and cut() waits for them. */
    private static final int CONNECT_MILLIS = 2_000;

    private final int port;
    private volatile int targetPort;
    private final Faults faults = new Faults();
    private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
    private final AtomicInteger requests = new AtomicInteger();
    /** Makes cut, heal and close follow one another. The acceptor never takes it, so that they can wait for its end. */
    private final Object switching = new Object();

    private @Nullable Thread acceptor;
    private @Nullable ServerSocket listener;
    private boolean closed;

    private TcpProxy(int port, int targetPort) {
        this.port = port;
        this.targetPort = targetPort;
    }

    /** Starts a proxy to a port on 127.0.0.1; nobody needs to listen there yet. */
    public static TcpProxy to(int targetPort) {
        TcpProxy proxy = new TcpProxy(FreePort.find(), targetPort);
        proxy.heal();
        return proxy;
    }

    /** The port that clients connect to; the same for the life of the proxy. */
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
            // The kernel keeps a closed listener alive until the thread that waits in accept has left it; until then
            // it still takes connections.
            awaitAcceptor();
        }
    }

    /** Swallows what the server sends: requests arrive and are carried out, answers do not come. */
    public void dropToClient() {
        faults.drop(Way.TO_CLIENT);
    }

    /** Swallows what the client sends: the connection looks healthy and nothing arrives. */
    public void dropToServer() {
        faults.drop(Way.TO_SERVER);
    }

    /** Holds every piece of data (up to 64 KiB) back for this long, each way. */
    public void delay(Duration delay) {
        faults.delay(requireNonNull(delay, "delay"));
    }

    /** Lets this many bytes a second through, each way of each connection. */
    public void throttle(long bytesPerSecond) {
        if (bytesPerSecond < 1) {
            throw new IllegalArgumentException("A throttled connection needs a byte a second, not " + bytesPerSecond);
        }
        faults.throttle(bytesPerSecond);
    }

    /** Leads to another port from now on, as an address does after a failover; open connections are closed. */
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
            // A mover asks whether to swallow a piece, and notes the loss, under the same monitor. So a loss is either
            // noted before this block and its connection closed here, or there was none; nothing is delivered after a
            // gap.
            synchronized (faults) {
                faults.clear();
                connections.forEach(ProxiedConnection::closeIfItLostData);
            }
            if (!closed && acceptor == null) {
                listen();
            }
        }
    }

    /** How many connections are open through the proxy now. */
    public int connections() {
        return connections.size();
    }

    /** How many requests clients have sent: what one sends before it hears from the server again is one. */
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
                // the loop ends when it was closed, and goes on after a client that gave up in the queue
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
        // cut() runs in the test's thread. Without the lock it could close all known connections between the check and
        // the start below, and this one would live through it.
        synchronized (this) {
            if (listener == acceptedBy) {
                connection.start();
            } else {
                connection.close();
            }
        }
    }

    /** Always IPv4, as the servers are; the JDK's own loopback address can be set to IPv6. */
    private static InetAddress loopback() throws UnknownHostException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    }

    static void close(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception alreadyBroken) {
            // nothing more to close
        }
    }
}
