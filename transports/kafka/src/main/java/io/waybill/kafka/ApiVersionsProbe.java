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
 * Sends an ApiVersions request to find out whether Kafka listens at an address, before Kafka's own client connects. The client cannot
 * tell a closed port from a slow broker, and it does not validate the response: it reads the first four bytes of an {@code HTTP/1.1}
 * response as a length of 1.2 gigabytes, and the resulting {@link OutOfMemoryError} ends its network thread.
 */
final class ApiVersionsProbe {
    private static final int CORRELATION_ID = 0x57617962;
    private static final int MAX_RESPONSE_BYTES = 1 << 20;
    private static final int TLS_ALERT = 0x15;
    private static final int HTTP = 0x48545450;
    private static final byte[] EMPTY_LINES = {'\r', '\n', '\r', '\n'};

    private final List<BootstrapServers.Address> addresses;
    private final boolean encrypted;

    ApiVersionsProbe(String bootstrapServers, boolean encrypted) {
        this.addresses = BootstrapServers.parse(bootstrapServers);
        this.encrypted = encrypted;
    }

    /** Returns what is wrong with the addresses; empty if Kafka answers at one of them. */
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
            return Optional.of(
                    "The host name " + address.host() + " cannot be resolved. Check its spelling and the DNS.");
        }
        try (Socket socket = new Socket()) {
            socket.connect(target, millis);
            return encrypted ? Optional.empty() : answer(address, socket, millis);
        } catch (SocketTimeoutException e) {
            return Optional.of("Kafka at " + address + " does not answer within " + millis
                    + " ms. Check whether the broker hangs or a firewall drops the packets.");
        } catch (ConnectException | NoRouteToHostException e) {
            return Optional.of("Nothing listens at " + address
                    + ", where Kafka is expected. Start the broker or correct the address.");
        } catch (IOException e) {
            return Optional.of(address + " closed the connection without an answer"
                    + (e.getMessage() == null ? "" : " (" + e.getMessage() + ")")
                    + ". If the broker expects TLS, set security.protocol; otherwise it is not Kafka.");
        }
    }

    private static Optional<String> answer(BootstrapServers.Address address, Socket socket, int millis)
            throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(request());
        DataInputStream in = new DataInputStream(socket.getInputStream());
        int length;
        socket.setSoTimeout(Math.max(1, millis / 2));
        try {
            length = in.readInt();
        } catch (SocketTimeoutException silence) {
            // A server with a line-based protocol waits for the end of a line. The extra bytes do not disturb Kafka: it
            // answers in order, and the connection is closed after the first response.
            out.write(EMPTY_LINES);
            length = in.readInt();
        }
        if (length == HTTP) {
            return Optional.of(address + " answers, but it speaks HTTP, not Kafka. Correct the address.");
        }
        if (length >>> 24 == TLS_ALERT) {
            return Optional.of(address + " expects TLS. Set security.protocol to SSL or SASL_SSL.");
        }
        boolean kafka = length >= 6 && length <= MAX_RESPONSE_BYTES && in.readInt() == CORRELATION_ID;
        return kafka
                ? Optional.empty()
                : Optional.of(address + " answers, but it does not speak Kafka. Correct the address.");
    }

    /** An ApiVersions request, version 0: every broker answers it, and before authentication. */
    private static byte[] request() {
        ByteBuffer request = ByteBuffer.allocate(14);
        request.putInt(10)
                .putShort((short) 18)
                .putShort((short) 0)
                .putInt(CORRELATION_ID)
                .putShort((short) -1);
        return request.array();
    }
}
