package io.waybill.chaos.check;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.admin.OutboxView;
import io.waybill.chaos.cluster.Cluster;
import io.waybill.processes.Outboxes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Takes a sample of the cluster once a second. */
public final class Sampler implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMillis(800);

    private final Consumer<Sample> watcher;
    private final HikariDataSource pool;
    private final OutboxView view;
    private final KafkaConsumer<byte[], byte[]> topic;
    private final List<Sample> samples = new ArrayList<>();
    private final Thread thread = new Thread(this::run, "sampler");
    private final long began = System.nanoTime();
    private volatile boolean closed;

    private Sampler(Cluster cluster, Consumer<Sample> watcher) {
        this.watcher = watcher;
        this.pool = Outboxes.pool(cluster.database().observerUrl(), 1);
        this.view = Outboxes.view(cluster.engine(), pool);
        this.topic = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        cluster.broker().bootstrapServers(),
                        "default.api.timeout.ms",
                        (int) PATIENCE.toMillis(),
                        "request.timeout.ms",
                        (int) PATIENCE.toMillis()),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        thread.setDaemon(true);
    }

    /** @param watcher receives every sample */
    public static Sampler start(Cluster cluster, Consumer<Sample> watcher) {
        Sampler sampler = new Sampler(cluster, watcher);
        sampler.thread.start();
        return sampler;
    }

    private void run() {
        try {
            while (!closed) {
                Sample sample = new Sample(
                        Math.round((System.nanoTime() - began) / 1e8) / 10.0, committed(), records(), backlog());
                synchronized (samples) {
                    samples.add(sample);
                }
                watcher.accept(sample);
                Thread.sleep(1_000);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private long committed() {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT coalesce(sum(n), 0) FROM business")) {
            row.next();
            return row.getLong(1);
        } catch (SQLException down) {
            return -1;
        }
    }

    private long backlog() {
        try {
            return view.status().pending();
        } catch (RuntimeException down) {
            return -1;
        }
    }

    private long records() {
        try {
            List<TopicPartition> partitions = topic.partitionsFor(Cluster.TOPIC, PATIENCE).stream()
                    .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
                    .toList();
            return topic.endOffsets(partitions, PATIENCE).values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
        } catch (RuntimeException down) {
            return -1;
        }
    }

    public List<Sample> samples() {
        synchronized (samples) {
            return List.copyOf(samples);
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        topic.close(org.apache.kafka.clients.consumer.CloseOptions.timeout(PATIENCE));
        pool.close();
    }
}
