package io.waybill.embedded;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.jspecify.annotations.Nullable;

/**
 * A real Kafka broker on 127.0.0.1: one KRaft node in a JVM of its own, with this JVM's class path.
 *
 * <p>It ends when this JVM does, however that dies. Topics are created on first use, with three partitions unless set
 * otherwise.
 */
public final class LocalKafka implements LocalServer {

    private static final Duration STOP_LIMIT = Duration.ofSeconds(15);

    private final Path folder;
    private final FolderLock lock;
    private final KafkaFolder files;
    private final int port;
    private final Duration startLimit;
    private @Nullable Process broker;
    private boolean closed;

    private LocalKafka(Path folder, FolderLock lock, Builder builder) throws IOException {
        this.folder = folder;
        this.lock = lock;
        this.files = new KafkaFolder(folder);
        this.startLimit = builder.startLimit;
        files.endOrphan(STOP_LIMIT);
        RememberedPorts ports = new RememberedPorts(folder);
        this.port = ports.choose("broker", builder.port);
        int advertised = builder.advertisedPort != 0 ? builder.advertisedPort : port;
        Map<Integer, Integer> listeners = new LinkedHashMap<>();
        listeners.put(port, advertised);
        listeners.putAll(builder.listeners);
        files.configure(listeners, ports.choose("controller", 0), builder.settings);
        this.broker = launch(files, port, startLimit);
    }

    /** Starts a broker with default settings on the folder, which is created if absent. */
    public static LocalKafka start(Path folder) {
        return builder(folder).start();
    }

    public static Builder builder(Path folder) {
        return new Builder(requireNonNull(folder, "folder"));
    }

    /** The value for {@code bootstrap.servers}. */
    public String bootstrapServers() {
        return bootstrapServers(port);
    }

    @Override
    public Path folder() {
        return folder;
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public synchronized long pid() {
        return runningBroker().pid();
    }

    @Override
    public synchronized boolean running() {
        return broker != null && broker.isAlive();
    }

    @Override
    public synchronized void kill() {
        if (broker != null) {
            new ServerProcess(broker.toHandle()).kill();
            broker = null;
        }
    }

    @Override
    public synchronized void suspend() {
        runningBroker().suspend();
    }

    @Override
    public synchronized void resume() {
        runningBroker().resume();
    }

    @Override
    public synchronized void stop() {
        if (broker != null) {
            shutDown(broker);
            broker = null;
        }
    }

    @Override
    public synchronized void restart() {
        if (closed) {
            throw new LocalServerException("Kafka on " + folder + " was closed. Start a new one on the folder.");
        }
        stop();
        try {
            broker = launch(files, port, startLimit);
        } catch (IOException e) {
            throw new LocalServerException("Cannot restart Kafka on " + folder + ": " + e, e);
        }
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try (lock) {
            stop();
        } catch (IOException e) {
            throw new LocalServerException("Cannot release the lock of folder " + folder + ": " + e, e);
        }
    }

    private ServerProcess runningBroker() {
        if (broker == null || !broker.isAlive()) {
            throw new LocalServerException("Kafka on " + folder + " does not run. Call restart() first.");
        }
        return new ServerProcess(broker.toHandle());
    }

    private static void shutDown(Process broker) {
        ServerProcess process = new ServerProcess(broker.toHandle());
        process.resume();
        try {
            broker.getOutputStream().close(); // the end of its input is its order to end
        } catch (IOException alreadyGone) {
            // the pipe breaks when the process has ended
        }
        if (!process.awaitGone(STOP_LIMIT)) {
            process.kill();
        }
    }

    private static Process launch(KafkaFolder files, int port, Duration limit) throws IOException {
        long end = System.nanoTime() + limit.toNanos();
        Process broker = files.launch();
        try {
            awaitServing(broker, files, port, end);
            return broker;
        } catch (RuntimeException failed) {
            broker.destroyForcibly();
            throw failed;
        }
    }

    /** The port opens before the broker serves; asking it for its cluster then waits, without retries, until it does. */
    private static void awaitServing(Process broker, KafkaFolder files, int port, long end) {
        while (!accepts(port)) {
            if (!broker.isAlive() || System.nanoTime() > end) {
                throw failure(broker, files, port, null);
            }
            ServerProcess.pause("waiting for Kafka on port " + port);
        }
        int millisLeft = (int) Math.max(1_000, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()));
        Map<String, Object> settings = Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers(port),
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                millisLeft,
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                millisLeft,
                AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                "100",
                AdminClientConfig.ENABLE_METRICS_PUSH_CONFIG,
                "false");
        try (Admin admin = Admin.create(settings)) {
            while (admin.describeCluster()
                    .nodes()
                    .get(millisLeft, TimeUnit.MILLISECONDS)
                    .isEmpty()) {
                if (!broker.isAlive() || System.nanoTime() > end) {
                    throw failure(broker, files, port, null);
                }
                ServerProcess.pause("waiting for Kafka on port " + port);
            }
        } catch (ExecutionException | TimeoutException e) {
            throw failure(broker, files, port, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure(broker, files, port, e);
        }
    }

    private static boolean accepts(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(FreePort.localAddress(port), 1_000);
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    private static LocalServerException failure(
            Process broker, KafkaFolder files, int port, @Nullable Exception cause) {
        String what = broker.isAlive() ? "does not serve in time" : "ended with status " + broker.exitValue();
        return new LocalServerException(
                "Kafka on folder " + files.folder() + ", port " + port + ", " + what
                        + ". Repair what the log names (a taken port, a full disk, too"
                        + " little memory), or start with an empty folder. " + LogTail.of(files.log()),
                cause);
    }

    private static String bootstrapServers(int port) {
        return "127.0.0.1:" + port;
    }

    /** What may differ between two brokers; nothing has to be set. */
    public static final class Builder {

        private final Path folder;
        private final Map<String, String> settings = new LinkedHashMap<>(KafkaFolder.DEFAULTS);
        private final Map<Integer, Integer> listeners = new LinkedHashMap<>();
        private int port;
        private int advertisedPort;
        private Duration startLimit = Duration.ofSeconds(60);

        private Builder(Path folder) {
            this.folder = folder;
        }

        /** Listens on this port instead of the one that the folder remembers or, the first time, a free one. */
        public Builder port(int port) {
            this.port = port;
            return this;
        }

        /**
         * Tells clients to connect to this port, where a proxy must forward to {@link LocalKafka#port()} from the start
         * on. Without it clients would go round the proxy after their first request.
         */
        public Builder advertisedPort(int advertisedPort) {
            this.advertisedPort = advertisedPort;
            return this;
        }

        /**
         * Listens on this port, too, and tells clients that use it to connect to the advertised port: clients with a proxy of
         * their own stay on it.
         */
        public Builder listener(int port, int advertisedPort) {
            listeners.put(port, advertisedPort);
            return this;
        }

        /** How many partitions a topic gets that is created on first use; 3 by default. */
        public Builder partitions(int partitions) {
            return setting("num.partitions", Integer.toString(partitions));
        }

        /** Sets a broker property; those that say where the broker listens and keeps its data cannot be changed. */
        public Builder setting(String name, String value) {
            settings.put(requireNonNull(name, "name"), requireNonNull(value, "value"));
            return this;
        }

        /** How long the broker may take to serve; 60 seconds by default. */
        public Builder startWithin(Duration limit) {
            this.startLimit = requireNonNull(limit, "limit");
            return this;
        }

        /**
         * Starts the broker and returns when it serves.
         *
         * @throws LocalServerException when the folder is in use or the broker does not serve in time
         */
        public LocalKafka start() {
            try {
                FolderLock lock = FolderLock.take(folder);
                try {
                    return new LocalKafka(folder.toRealPath(), lock, this);
                } catch (IOException | RuntimeException failed) {
                    lock.close();
                    throw failed;
                }
            } catch (IOException e) {
                throw new LocalServerException(
                        "Cannot start Kafka on folder " + folder + ": " + e
                                + ". Make sure that the folder can be written.",
                        e);
            }
        }
    }
}
