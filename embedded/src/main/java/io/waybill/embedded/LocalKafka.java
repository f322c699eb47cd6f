package io.waybill.embedded;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;

/**
 * A real Kafka broker on 127.0.0.1: one KRaft node in a JVM of its own, with this JVM's class path.
 *
 * <p>It ends when this JVM does, however that dies. Topics are created on first use, with three partitions unless set
 * otherwise.
 */
public final class LocalKafka extends ChildServer {
    private final KafkaFolder files;
    private final Builder builder;

    private LocalKafka(Builder builder) {
        super("Kafka", builder.folder, "broker", builder.port, builder.startLimit);
        this.files = new KafkaFolder(folder());
        this.builder = builder;
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
        return "127.0.0.1:" + port();
    }

    @Override
    void prepare() throws IOException {
        Map<Integer, Integer> listeners = new LinkedHashMap<>();
        listeners.put(port(), builder.advertisedPort != 0 ? builder.advertisedPort : port());
        listeners.putAll(builder.listeners);
        files.configure(listeners, new RememberedPorts(folder()).choose("controller", 0), builder.settings);
    }

    @Override
    ProcessBuilder program() {
        return files.program();
    }

    /** The port opens before the broker serves. A request for the cluster then waits, without retries, until it does. */
    @Override
    boolean serves(Duration limit) {
        int millis = (int) Math.max(1_000, limit.toMillis());
        Map<String, Object> settings = Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers(),
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                millis,
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                millis,
                AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                "100",
                AdminClientConfig.ENABLE_METRICS_PUSH_CONFIG,
                "false");
        try (Admin admin = Admin.create(settings)) {
            return !admin.describeCluster()
                    .nodes()
                    .get(millis, TimeUnit.MILLISECONDS)
                    .isEmpty();
        } catch (ExecutionException | TimeoutException notYet) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LocalServerException("Interrupted while waiting for Kafka on port " + port() + ".", e);
        }
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
            LocalKafka server = new LocalKafka(this);
            server.begin();
            return server;
        }
    }
}
