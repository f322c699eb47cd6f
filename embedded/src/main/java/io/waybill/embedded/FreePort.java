package io.waybill.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds ports on 127.0.0.1 that stay free while a server restarts.
 *
 * <p>A port that the kernel chooses (port 0) lies in the range that it also uses for outgoing connections. While a killed
 * server is down, a client that keeps reconnecting can get the server's port as its local port. The client then connects
 * to itself, and the server cannot bind the port again. Ports below that range rule this out.
 */
public final class FreePort {

    private static final int LOWEST = 20_000;
    private static final int HIGHEST = 32_000;
    private static final int ATTEMPTS = 1_000;

    /** Ports that were returned before: a server needs time until it listens, and its port looks free until then. */
    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private FreePort() {}

    /** Returns a port that is free now, and a different one at each call. */
    public static int find() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
            if (isFree(port) && GIVEN.add(port)) {
                return port;
            }
        }
        throw new LocalServerException("No port between " + LOWEST + " and " + HIGHEST + " is free on 127.0.0.1. Stop"
                + " servers that are no longer needed, or choose a port explicitly.");
    }

    static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            // Connections of a server that has just ended stay in TIME_WAIT; its port is free nevertheless.
            socket.setReuseAddress(true);
            socket.bind(localAddress(port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }

    /** Always IPv4, like the servers; the loopback address of the JDK can be configured to be IPv6. */
    static InetSocketAddress localAddress(int port) throws UnknownHostException {
        return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
    }
}
