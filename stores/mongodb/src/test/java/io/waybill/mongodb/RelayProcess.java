package io.waybill.mongodb;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.waybill.relay.Relay;
import io.waybill.transport.Delivery;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.StringJoiner;

/** A relay in a process of its own, which a test kills. It sends its messages to a socket of the test, one line each. */
final class RelayProcess implements AutoCloseable {
    private final Process process;

    private RelayProcess(Process process) {
        this.process = process;
    }

    static RelayProcess start(String uri, String database, int topicPort) {
        try {
            return new RelayProcess(new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                            RelayProcess.class.getName(),
                            uri,
                            database,
                            Integer.toString(topicPort))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends the process with SIGKILL. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    public static void main(String[] arguments) throws Exception {
        MongoClient client = MongoClients.create(arguments[0]);
        Socket topic = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[2]));
        endWithTheTest(topic);
        Relay relay = Relay.builder(MongoOutboxStore.on(client, arguments[1]), new SocketTransport(topic))
                .batchSize(20)
                .lease(Duration.ofSeconds(5))
                .build();
        relay.start();
        relay.ended().toCompletableFuture().join();
        Runtime.getRuntime().halt(1);
    }

    private static void endWithTheTest(Socket topic) {
        Thread watch = new Thread(() -> {
            try (BufferedReader nothing =
                    new BufferedReader(new InputStreamReader(topic.getInputStream(), StandardCharsets.UTF_8))) {
                while (nothing.readLine() != null) {
                    // the test sends nothing
                }
            } catch (IOException e) {
                // the test has ended
            }
            Runtime.getRuntime().halt(1);
        });
        watch.setDaemon(true);
        watch.start();
    }

    /** Writes each message before it acknowledges it. */
    private static final class SocketTransport implements Transport {
        private final PrintStream lines;

        SocketTransport(Socket topic) throws IOException {
            lines = new PrintStream(topic.getOutputStream(), true, StandardCharsets.UTF_8);
        }

        @Override
        public void send(Message message, Delivery delivery) {
            StringJoiner line = new StringJoiner(" ");
            line.add(encoded(message.key())).add(Base64.getEncoder().encodeToString(message.value()));
            message.headers().forEach((name, value) -> line.add(encoded(name)).add(encoded(value)));
            lines.println(line);
            if (lines.checkError()) {
                Runtime.getRuntime().halt(1);
            }
            delivery.acknowledged();
        }

        private static String encoded(String text) {
            return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public void probe() {}

        @Override
        public void close() {}
    }
}
