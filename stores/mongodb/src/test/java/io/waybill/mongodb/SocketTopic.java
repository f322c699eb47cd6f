package io.waybill.mongodb;

import io.waybill.faults.history.Delivered;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Receives the messages of {@link RelayProcess}es, in the order of their arrival. */
final class SocketTopic implements AutoCloseable {
    private final ServerSocket listener;
    private final List<Delivered> delivered = new ArrayList<>();

    SocketTopic() throws IOException {
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        thread(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket relay = listener.accept();
                thread(() -> read(relay));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void read(Socket relay) {
        try (relay;
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(relay.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                take(line);
            }
        } catch (IOException e) {
            // the relay was killed
        }
    }

    /** The last line of a killed relay can be incomplete: the relay has not acknowledged it, so it counts as not sent. */
    private void take(String line) {
        String[] parts = line.split(" ", -1);
        try {
            Map<String, String> headers = new HashMap<>();
            for (int i = 2; i + 1 < parts.length; i += 2) {
                headers.put(decoded(parts[i]), decoded(parts[i + 1]));
            }
            Delivered message =
                    Delivered.of(decoded(parts[0]), headers, Base64.getDecoder().decode(parts[1]));
            synchronized (delivered) {
                delivered.add(message);
            }
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            // incomplete
        }
    }

    private static String decoded(String text) {
        return new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8);
    }

    List<Delivered> delivered() {
        synchronized (delivered) {
            return List.copyOf(delivered);
        }
    }

    private static void thread(Runnable task) {
        Thread thread = new Thread(task, "topic");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
