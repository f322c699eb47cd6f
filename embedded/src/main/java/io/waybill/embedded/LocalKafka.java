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
import org.jspecify.annotations.Nullable;

/**
 * A real Kafka broker on 127.0.0.1: one KRaft node in a separate JVM, with this JVM's class path.
 *
 * <p>The broker ends when this JVM does, also when this JVM is killed. Topics are created on first use, with three
 * partitions unless set otherwise.
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
        return files.program(builder.jars);
    }

    /** The port opens before the broker serves. Requests for the cluster then wait, or find no node, until it does. */
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
            // One client for all requests: a new client for each would slow down the broker's start.
            long end = System.nanoTime() + limit.toNanos();
            while (admin.describeCluster()
                    .nodes()
                    .get(millis, TimeUnit.MILLISECONDS)
                    .isEmpty()) {
                if (System.nanoTime() > end) {
                    return false;
                }
                ServerProcess.pause("waiting for Kafka on port " + port());
            }
            return true;
        } catch (ExecutionException | TimeoutException notYet) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LocalServerException("Interrupted while waiting for Kafka on port " + port() + ".", e);
        }
    }

    /** The settings of a broker; all are optional. */
    public static final class Builder {

        private final Path folder;
        private final Map<String, String> settings = new LinkedHashMap<>(KafkaFolder.DEFAULTS);
        private final Map<Integer, Integer> listeners = new LinkedHashMap<>();
        private int port;
        private int advertisedPort;
        private @Nullable Path jars;
        private Duration startLimit = Duration.ofMinutes(3);

        private Builder(Path folder) {
            this.folder = folder;
        }

        /** Listens on this port instead of the one that the folder remembers or, the first time, a free one. */
        public Builder port(int port) {
            this.port = port;
            return this;
        }

        /**
         * Advertises this port to clients. A proxy must listen on it and forward to {@link LocalKafka#port()} before the
         * broker starts. Otherwise clients would bypass the proxy after their first request.
         */
        public Builder advertisedPort(int advertisedPort) {
            this.advertisedPort = advertisedPort;
            return this;
        }

        /**
         * Also listens on this port, and advertises the other one to clients that connect here. So clients with their own
         * proxy stay on that proxy.
         */
        public Builder listener(int port, int advertisedPort) {
            listeners.put(port, advertisedPort);
            return this;
        }

        /** The number of partitions of topics that are created on first use (default 3). */
        public Builder partitions(int partitions) {
            return setting("num.partitions", Integer.toString(partitions));
        }

        /** Sets a broker property. The properties for listeners, node and data folder cannot be changed. */
        public Builder setting(String name, String value) {
            settings.put(requireNonNull(name, "name"), requireNonNull(value, "value"));
            return this;
        }

        /**
         * Runs another version of Kafka, 3.9 or newer, instead of the one on the class path.
         *
         * @param jars a folder with the jars of {@code kafka_2.13} and its dependencies
         */
        public Builder programs(Path jars) {
            this.jars = requireNonNull(jars, "jars");
            return this;
        }

        /** The time limit for a start (default 3 minutes). */
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
