package io.waybill.peers.debezium;

import com.zaxxer.hikari.HikariDataSource;
import io.debezium.embedded.Connect;
import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import io.waybill.bench.load.Entry;
import io.waybill.bench.peer.Peer;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * Debezium's embedded engine with the outbox event router. Writers insert and delete in one transaction, as its
 * documentation recommends; a pipelined producer sends a batch, then the batch is marked as processed.
 */
public final class DebeziumPeer implements Peer {
    private static final String SLOT = "waybill_bench_debezium";

    private final AtomicLong written = new AtomicLong();
    private final AtomicLong handled = new AtomicLong();
    private HikariDataSource pool;
    private KafkaProducer<String, String> producer;
    private DebeziumEngine<ChangeEvent<SourceRecord, SourceRecord>> engine;
    private ExecutorService executor;
    private Path offsets;
    private URI database;
    private String topic;

    @Override
    public void open(String jdbcUrl, String bootstrap, String topic) throws Exception {
        this.topic = topic;
        database = URI.create(jdbcUrl.substring("jdbc:".length()));
        pool = new HikariDataSource();
        pool.setJdbcUrl(jdbcUrl);
        pool.setMaximumPoolSize(4);
        execute("""
                CREATE TABLE outbox (id uuid PRIMARY KEY, aggregatetype varchar(255) NOT NULL,
                    aggregateid varchar(255) NOT NULL, type varchar(255) NOT NULL, payload jsonb NOT NULL);
                CREATE PUBLICATION bench FOR TABLE outbox""");
        execute("SELECT pg_create_logical_replication_slot('" + SLOT + "', 'pgoutput')");
        producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "acks",
                        "all",
                        "linger.ms",
                        2,
                        "batch.size",
                        128 * 1024,
                        "compression.type",
                        "lz4"),
                new StringSerializer(),
                new StringSerializer());
        offsets = Files.createTempFile("debezium-", ".offsets");
        Files.delete(offsets);
    }

    @Override
    public void append(List<Entry> entries) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            UUID[] ids = new UUID[entries.size()];
            try (PreparedStatement insert = connection.prepareStatement(
                            "INSERT INTO outbox VALUES (?, 'Order', ?, 'order', ?::jsonb)");
                    PreparedStatement delete = connection.prepareStatement("DELETE FROM outbox WHERE id = ANY (?)")) {
                int i = 0;
                for (Entry entry : entries) {
                    ids[i] = UUID.randomUUID();
                    insert.setObject(1, ids[i++]);
                    insert.setString(2, entry.key());
                    insert.setString(3, entry.payload());
                    insert.addBatch();
                }
                insert.executeBatch();
                delete.setArray(1, connection.createArrayOf("uuid", ids));
                delete.executeUpdate();
            }
            connection.commit();
        }
        written.addAndGet(entries.size());
    }

    @Override
    public void start() {
        engine = DebeziumEngine.create(Connect.class)
                .using(settings())
                .using((success, message, error) -> {
                    if (!success) {
                        System.err.println("engine: " + message + " " + error);
                    }
                })
                .notifying(this::handle)
                .build();
        executor = Executors.newSingleThreadExecutor();
        executor.execute(engine);
    }

    private void handle(
            List<ChangeEvent<SourceRecord, SourceRecord>> changes,
            DebeziumEngine.RecordCommitter<ChangeEvent<SourceRecord, SourceRecord>> committer)
            throws InterruptedException {
        List<Future<RecordMetadata>> sent = new ArrayList<>(changes.size());
        for (ChangeEvent<SourceRecord, SourceRecord> change : changes) {
            SourceRecord found = change.value();
            if (found != null && topic.equals(found.topic())) {
                sent.add(producer.send(new ProducerRecord<>(topic, (String) found.key(), (String) found.value())));
            }
        }
        producer.flush();
        try {
            for (Future<RecordMetadata> record : sent) {
                record.get();
            }
        } catch (java.util.concurrent.ExecutionException e) {
            throw new IllegalStateException(e);
        }
        for (ChangeEvent<SourceRecord, SourceRecord> change : changes) {
            committer.markProcessed(change);
        }
        committer.markBatchFinished();
        handled.addAndGet(sent.size());
    }

    private Properties settings() {
        Properties settings = new Properties();
        settings.putAll(Map.of(
                "name", "bench",
                "connector.class", "io.debezium.connector.postgresql.PostgresConnector",
                "offset.storage", "org.apache.kafka.connect.storage.FileOffsetBackingStore",
                "offset.storage.file.filename", offsets.toString(),
                "offset.flush.interval.ms", "1000",
                "topic.prefix", "bench",
                "snapshot.mode", "no_data",
                "tombstones.on.delete", "false",
                "skipped.operations", "u,d,t"));
        settings.putAll(Map.of(
                "database.hostname", database.getHost(),
                "database.port", Integer.toString(database.getPort()),
                "database.user", "postgres",
                "database.password", "",
                "database.dbname", database.getPath().substring(1),
                "plugin.name", "pgoutput",
                "slot.name", SLOT,
                "publication.name", "bench",
                "publication.autocreate.mode", "disabled",
                "table.include.list", "public.outbox"));
        settings.putAll(Map.of(
                "max.batch.size", "8192",
                "max.queue.size", "32768",
                "poll.interval.ms", "5",
                "transforms", "outbox",
                "transforms.outbox.type", "io.debezium.transforms.outbox.EventRouter",
                "transforms.outbox.route.topic.replacement", topic));
        return settings;
    }

    @Override
    public void stop() throws Exception {
        engine.close();
        executor.shutdown();
        executor.awaitTermination(20, TimeUnit.SECONDS);
    }

    /** Returns the events that Kafka acknowledged and that are marked as processed. The slot advances with the next flush of offsets. */
    @Override
    public long remaining() {
        return Math.max(0, written.get() - handled.get());
    }

    @Override
    public boolean ordered() {
        return true;
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Drops the slot, which would otherwise retain all later WAL. Retries while the walsender still uses it. */
    @Override
    public void close() throws Exception {
        for (int i = 0; i < 50; i++) {
            try {
                execute("SELECT pg_drop_replication_slot('" + SLOT + "')");
                break;
            } catch (SQLException e) {
                TimeUnit.MILLISECONDS.sleep(200);
            }
        }
        producer.close();
        pool.close();
        Files.deleteIfExists(offsets);
    }
}
