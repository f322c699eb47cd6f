package io.waybill.examples.saga;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxBuilder;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.jdbc.PostgresJournal;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.jdbc.saga.SagaSchema;
import io.waybill.kafka.KafkaInbox;
import io.waybill.kafka.KafkaTransport;
import io.waybill.relay.Relay;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * What each of the four services has for itself: a schema with its tables, an outbox with a relay, and an inbox with a Kafka
 * consumer. The services communicate only through topics.
 */
final class Service implements AutoCloseable {
    private final String name;
    private final String broker;
    private final HikariDataSource database;
    private final JdbcOutbox outbox = JdbcOutbox.create();
    private final List<Runnable> running = new ArrayList<>();

    /** @param tables the service's own tables, as SQL */
    Service(String name, String jdbcUrl, String broker, String tables) throws SQLException {
        this.name = name;
        this.broker = broker;
        HikariConfig pool = new HikariConfig();
        pool.setJdbcUrl(jdbcUrl);
        pool.setPoolName(name);
        pool.setMaximumPoolSize(12);
        pool.setSchema(name);
        this.database = new HikariDataSource(pool);
        execute("CREATE SCHEMA IF NOT EXISTS " + name);
        OutboxSchema.apply(database);
        InboxSchema.apply(database);
        SagaSchema.apply(database);
        execute(tables);
    }

    HikariDataSource database() {
        return database;
    }

    JdbcOutbox outbox() {
        return outbox;
    }

    /** Relays the service's outbox, and passes events to its handlers. */
    void start(UnaryOperator<InboxBuilder<Connection>> handlers) {
        KafkaTransport transport = KafkaTransport.to(broker);
        running.add(transport::close);
        Relay relay = Relay.builder(PostgresJournal.on(database).store(), transport)
                .name(name)
                .build();
        relay.start();
        running.add(relay::close);
        Inbox<Connection> inbox = handlers.apply(
                        Inbox.builder(JdbcInbox.on(database).store(), name)
                                .service(name)
                                .deadLettersTo(outbox))
                .build();
        KafkaInbox consumer = KafkaInbox.builder(broker, inbox).build();
        consumer.start();
        running.add(consumer::close);
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() {
        for (int i = running.size() - 1; i >= 0; i--) {
            running.get(i).run();
        }
        database.close();
    }
}
