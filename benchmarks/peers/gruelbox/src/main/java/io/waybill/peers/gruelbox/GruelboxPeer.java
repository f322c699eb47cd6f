package io.waybill.peers.gruelbox;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import com.zaxxer.hikari.HikariDataSource;
import io.waybill.bench.load.Entry;
import io.waybill.bench.peer.Peer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * gruelbox transaction-outbox: a scheduled call for each event, executed after the commit or by a flush. The newest available version
 * has no ordered mode.
 */
public final class GruelboxPeer implements Peer {
    private static final int THREADS = 48;
    private static final int QUEUE = 16_384;
    private static final int FLUSH = 25_000;

    private HikariDataSource pool;
    private KafkaProducer<String, String> producer;
    private TransactionManager transactions;
    private TransactionOutbox outbox;
    private ThreadPoolExecutor executor;
    private Thread flusher;
    private volatile boolean running;

    /** The scheduled call. Public, because the library creates a proxy of it. */
    public static class Sender {
        private final KafkaProducer<String, String> producer;
        private final String topic;

        /** For the proxy. */
        public Sender() {
            this(null, "");
        }

        Sender(KafkaProducer<String, String> producer, String topic) {
            this.producer = producer;
            this.topic = topic;
        }

        public void send(String key, String payload) {
            try {
                producer.send(new ProducerRecord<>(topic, key, payload)).get();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Override
    public void open(String jdbcUrl, String bootstrap, String topic) {
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
        pool = new HikariDataSource();
        pool.setJdbcUrl(jdbcUrl);
        pool.setMaximumPoolSize(THREADS + 6);
        transactions = TransactionManager.fromDataSource(pool);
        executor = new ThreadPoolExecutor(THREADS, THREADS, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(QUEUE));
        Submitter submitter = Submitter.withExecutor(executor);
        Sender sender = new Sender(producer, topic);
        outbox = TransactionOutbox.builder()
                .transactionManager(transactions)
                .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
                .instantiator(Instantiator.using(type -> sender))
                // Not executed, as after a crash between commit and call.
                .submitter((entry, call) -> {
                    if (running) {
                        submitter.submit(entry, call);
                    }
                })
                .attemptFrequency(Duration.ofMinutes(2))
                .flushBatchSize(FLUSH)
                .build();
    }

    @Override
    public void append(List<Entry> entries) {
        transactions.inTransaction(() -> {
            for (Entry entry : entries) {
                outbox.schedule(Sender.class).send(entry.key(), entry.payload());
            }
        });
    }

    /** Dropped calls are due after the attempt frequency; this makes them due now. */
    @Override
    public void start() throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("UPDATE txno_outbox SET nextAttemptTime = now() WHERE NOT processed");
        }
        running = true;
        flusher = new Thread(this::flush);
        flusher.start();
    }

    private void flush() {
        try {
            while (running) {
                while (running && executor.getQueue().size() > QUEUE / 2) {
                    TimeUnit.MILLISECONDS.sleep(1);
                }
                if (!outbox.flush()) {
                    TimeUnit.MILLISECONDS.sleep(10);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void stop() throws InterruptedException {
        running = false;
        flusher.join();
        while (executor.getActiveCount() > 0 || !executor.getQueue().isEmpty()) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    @Override
    public long remaining() throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM txno_outbox WHERE NOT processed")) {
            row.next();
            return row.getLong(1);
        }
    }

    @Override
    public boolean ordered() {
        return false;
    }

    @Override
    public void close() {
        executor.shutdownNow();
        producer.close();
        pool.close();
    }
}
