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
 * Finds ports on 127.0.0.1 that stay free for a server that goes away and comes back.
 *
 * <p>A port that the kernel hands out (port 0) lies in the range it also takes for outgoing connections. While a killed
 * server is down, a client that keeps reconnecting can then be given the server's own port as its local one: it
 * connects to itself, believes in a server, and the real one cannot bind again. Ports below that range rule this out.
 */
public final class FreePort {

    private static final int LOWEST = 20_000;
    private static final int HIGHEST = 32_000;
    private static final int ATTEMPTS = 1_000;

    /** A server needs a while until it listens: meanwhile nobody else is given its port. */
    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private FreePort() {}

    /** A port that nobody listens on now, and another one each time. */
    public static int find() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
            if (isFree(port) && GIVEN.add(port)) {
                return port;
            }
        }
        throw new LocalServerException("No port between " + LOWEST + " and " + HIGHEST + " is free on 127.0.0.1. End"
                + " servers that were left behind, or give a port explicitly.");
    }

    static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            // Connections of a server that just ended linger in TIME_WAIT and must not make its port look taken.
            socket.setReuseAddress(true);
            socket.bind(localAddress(port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }

    /** Always IPv4, as the servers are; the JDK's own loopback address can be set to IPv6. */
    static InetSocketAddress localAddress(int port) throws UnknownHostException {
        return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
    }
}
