package io.waybill.processes;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.faults.saga.SagaBug;
import io.waybill.inbox.Inbox;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.jdbc.saga.JdbcSagaStore;
import io.waybill.kafka.KafkaInbox;
import io.waybill.saga.Sagas;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;

/**
 * A saga engine with the participants of its sagas, in its own JVM. The arguments are the JDBC URL, the bootstrap servers, the name of
 * the process and the number of sagas that it starts per second. The command {@code rest} ends the starts.
 */
public final class SagaProgram {
    /** The system property of the {@link SagaBug} of this engine. */
    public static final String BUG = "waybill.saga-bug";

    private final HikariDataSource pool;
    private final SagaWorkload workload;
    private final Sagas<Connection> sagas;
    private volatile boolean resting;

    private SagaProgram(String jdbcUrl) {
        this.pool = Outboxes.pool(jdbcUrl, 12);
        this.workload = new SagaWorkload(pool);
        this.sagas = Sagas.builder(JdbcSagaStore.on(pool), JdbcOutbox.create())
                .add(workload.saga())
                .rules(SagaBug.valueOf(System.getProperty(BUG, SagaBug.NONE.name()))
                        .rules())
                .build();
    }

    public static void main(String[] arguments) throws IOException {
        Commands.logAsAsked();
        new SagaProgram(arguments[0]).run(arguments[1], arguments[2], Integer.parseInt(arguments[3]));
    }

    private void run(String broker, String name, int rate) throws IOException {
        Inbox<Connection> inbox = sagas.handleRepliesWith(workload.participants(
                        Inbox.builder(JdbcInbox.on(pool).store(), "sagas").deadLettersTo(JdbcOutbox.create())))
                .build();
        KafkaInbox consumer = KafkaInbox.builder(broker, inbox)
                .setting("group.instance.id", name)
                .setting("session.timeout.ms", 6_000)
                .setting("heartbeat.interval.ms", 1_500)
                .setting("metadata.max.age.ms", 1_000)
                .build();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            resting = true;
            consumer.close();
            sagas.close();
            pool.close();
            Commands.say("stopped");
        }));
        startEngine();
        consumer.start();
        Commands.say("started");
        Thread starter = new Thread(() -> startSagas(name, rate), "starter");
        starter.setDaemon(true);
        starter.start();
        Commands.obey(Map.of("rest", argument -> resting = true));
    }

    /** The database may be down when a killed process starts again. */
    private void startEngine() {
        while (true) {
            try {
                sagas.start();
                return;
            } catch (RuntimeException e) {
                pause(Duration.ofSeconds(1));
            }
        }
    }

    private void startSagas(String name, int rate) {
        String prefix = name + "-" + UUID.randomUUID().toString().substring(0, 8) + "-";
        for (int number = 1; !resting && rate > 0; number++) {
            try {
                startSaga(prefix + number);
            } catch (SQLException | RuntimeException e) {
                // the order and its saga rolled back together, or both committed: the check compares them
            }
            pause(Duration.ofMillis(1_000 / rate));
        }
    }

    /** Some starts roll back, and some are repeated. */
    private void startSaga(String key) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            SagaWorkload.update(connection, "INSERT INTO saga_orders (key) VALUES (?)", key);
            SagaWorkload.Order order = new SagaWorkload.Order(key, "");
            sagas.start(connection, workload.saga(), key, order);
            if (SagaWorkload.oneIn(8, key, "again")) {
                sagas.start(connection, workload.saga(), key, order);
            }
            if (SagaWorkload.oneIn(8, key, "rollback")) {
                connection.rollback();
            } else {
                connection.commit();
            }
        }
        sagas.hint();
    }

    private static void pause(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
