package io.waybill.peers.dbscheduler;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import io.waybill.bench.load.Entry;
import io.waybill.bench.peer.Peer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

/** db-scheduler as a queue: a one-time task for each event, scheduled in the writer's transaction. */
public final class DbSchedulerPeer implements Peer {
    private static final int THREADS = 32;

    private HikariDataSource pool;
    private JdbcTemplate jdbc;
    private TransactionTemplate transaction;
    private KafkaProducer<String, String> producer;
    private OneTimeTask<String> task;
    private SchedulerClient client;
    private Scheduler scheduler;

    @Override
    public void open(String jdbcUrl, String bootstrap, String topic) {
        pool = new HikariDataSource();
        pool.setJdbcUrl(jdbcUrl);
        pool.setMaximumPoolSize(THREADS + 6);
        jdbc = new JdbcTemplate(pool);
        // The table of its documentation for PostgreSQL.
        jdbc.execute("""
                CREATE TABLE scheduled_tasks (task_name text NOT NULL, task_instance text NOT NULL, task_data bytea,
                    execution_time timestamptz NOT NULL, picked boolean NOT NULL, picked_by text, last_success timestamptz,
                    last_failure timestamptz, consecutive_failures int, last_heartbeat timestamptz, version bigint NOT NULL,
                    priority smallint, PRIMARY KEY (task_name, task_instance));
                CREATE INDEX execution_time_idx ON scheduled_tasks (execution_time);
                CREATE INDEX last_heartbeat_idx ON scheduled_tasks (last_heartbeat)""");
        producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "acks",
                        "all",
                        "linger.ms",
                        0,
                        "batch.size",
                        128 * 1024,
                        "compression.type",
                        "lz4"),
                new StringSerializer(),
                new StringSerializer());
        task = Tasks.oneTime("send", String.class).execute((instance, context) -> send(topic, instance.getData()));
        TransactionAwareDataSourceProxy joining = new TransactionAwareDataSourceProxy(pool);
        transaction = new TransactionTemplate(new DataSourceTransactionManager(pool));
        client = SchedulerClient.Builder.create(joining, task)
                .serializer(new Text())
                .build();
    }

    private void send(String topic, String data) {
        int bar = data.indexOf('|');
        try {
            producer.send(new ProducerRecord<>(topic, data.substring(0, bar), data.substring(bar + 1)))
                    .get();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void append(List<Entry> entries) {
        List<TaskInstance<?>> instances = new ArrayList<>();
        for (Entry entry : entries) {
            instances.add(task.instance(Long.toString(entry.number()), entry.key() + "|" + entry.payload()));
        }
        transaction.executeWithoutResult(status -> client.scheduleBatch(instances, Instant.now()));
    }

    @Override
    public void start() {
        scheduler = Scheduler.create(pool, task)
                .serializer(new Text())
                .threads(THREADS)
                .pollUsingLockAndFetch(4, 20)
                .pollingInterval(Duration.ofMillis(50))
                .build();
        scheduler.start();
    }

    @Override
    public void stop() {
        scheduler.stop();
    }

    @Override
    public long remaining() {
        return jdbc.queryForObject("SELECT count(*) FROM scheduled_tasks", Long.class);
    }

    @Override
    public boolean ordered() {
        return false;
    }

    @Override
    public void close() {
        producer.close();
        pool.close();
    }

    /** Stores the payload as text, because Java serialization would cost time. */
    private static final class Text implements Serializer {
        @Override
        public byte[] serialize(Object data) {
            return data == null ? null : data.toString().getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public <T> T deserialize(Class<T> type, byte[] data) {
            return data == null ? null : type.cast(new String(data, StandardCharsets.UTF_8));
        }
    }
}
