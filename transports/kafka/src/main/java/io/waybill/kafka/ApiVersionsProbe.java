package io.waybill.kafka;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Asks an address by hand whether Kafka is there, before Kafka's own client goes near it. The client cannot tell a closed
 * port from a slow broker, and it believes any answer: the first four letters of an {@code HTTP/1.1} reply are a length
 * of 1.2 gigabytes to it, and the failure to find that much memory ends its network thread.
 */
final class ApiVersionsProbe {
    private static final int CORRELATION = 0x57617962;
    private static final int LONGEST_ANSWER = 1 << 20;
    private static final int TLS_ALERT = 0x15;
    private static final int HTTP = 0x48545450;
    private static final byte[] EMPTY_LINES = {'\r', '\n', '\r', '\n'};

    private final List<BootstrapServers.Address> addresses;
    private final boolean encrypted;

    ApiVersionsProbe(String bootstrapServers, boolean encrypted) {
        this.addresses = BootstrapServers.parse(bootstrapServers);
        this.encrypted = encrypted;
    }

    /** What is wrong, for a person, unless one of the addresses answers as Kafka does. */
    Optional<String> problem(Duration limit) {
        int millis = (int) Math.max(100, limit.toMillis() / addresses.size());
        List<String> problems = new ArrayList<>();
        for (BootstrapServers.Address address : addresses) {
            Optional<String> problem = problem(address, millis);
            if (problem.isEmpty()) {
                return Optional.empty();
            }
            problems.add(problem.get());
        }
        return Optional.of(String.join(" ", problems));
    }

    private Optional<String> problem(BootstrapServers.Address address, int millis) {
        InetSocketAddress target = new InetSocketAddress(address.host(), address.port());
        if (target.isUnresolved()) {
            return Optional.of("The name of Kafka's host " + address.host()
                    + " cannot be resolved. Check the spelling and the DNS of this machine.");
        }
        try (Socket socket = new Socket()) {
            socket.connect(target, millis);
            return encrypted ? Optional.empty() : answer(address, socket, millis);
        } catch (SocketTimeoutException e) {
            return Optional.of("Kafka at " + address + " does not answer within " + millis
                    + " ms. See whether the broker hangs or a firewall drops the packets.");
        } catch (ConnectException | NoRouteToHostException e) {
            return Optional.of("Nothing listens at " + address
                    + ", where Kafka should be. Start the broker or correct the address.");
        } catch (IOException e) {
            return Optional.of(address + " closed the connection without an answer"
                    + (e.getMessage() == null ? "" : " (" + e.getMessage() + ")")
                    + ". If the broker expects TLS, set security.protocol; else it is not Kafka.");
        }
    }

    private static Optional<String> answer(BootstrapServers.Address address, Socket socket, int millis)
            throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(question());
        DataInputStream in = new DataInputStream(socket.getInputStream());
        int length;
        socket.setSoTimeout(Math.max(1, millis / 2));
        try {
            length = in.readInt();
        } catch (SocketTimeoutException silence) {
            // A server of a protocol made of lines waits for the end of this one. Kafka cannot be confused by it: it
            // answers in order, and the connection is closed after the first answer.
            out.write(EMPTY_LINES);
            length = in.readInt();
        }
        if (length == HTTP) {
            return Optional.of(address + " answers, but it speaks HTTP, not Kafka. Correct the address.");
        }
        if (length >>> 24 == TLS_ALERT) {
            return Optional.of(address + " expects TLS. Set security.protocol to SSL or SASL_SSL.");
        }
        boolean kafka = length >= 6 && length <= LONGEST_ANSWER && in.readInt() == CORRELATION;
        return kafka
                ? Optional.empty()
                : Optional.of(address + " answers, but it does not speak Kafka. Correct the address.");
    }

    /** An ApiVersions request, version 0: the one that every broker answers, before any login. */
    private static byte[] question() {
        ByteBuffer request = ByteBuffer.allocate(14);
        request.putInt(10)
                .putShort((short) 18)
                .putShort((short) 0)
                .putInt(CORRELATION)
                .putShort((short) -1);
        return request.array();
    }
}
