package io.waybill.server.up;

import io.waybill.Event;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxBuilder;
import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.kafka.KafkaInbox;
import io.waybill.retry.RetryPolicy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * A consumer group that counts shipped orders. Its handler cannot handle one order at all and fails at some others for a while, so the
 * group has held events and dead letters.
 */
final class DemoWarehouse {
    private static final String GROUP = "warehouse";

    /** The handler never succeeds for this order. */
    private static final String POISON = "3";

    private DemoWarehouse() {}

    static AutoCloseable start(DataSource source, String bootstrapServers) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement create = connection.createStatement()) {
            create.execute(
                    "CREATE TABLE IF NOT EXISTS demo_shipments (id varchar(64) PRIMARY KEY, parcels integer NOT NULL)");
        }
        Inbox<Connection> inbox = handlers(Inbox.builder(JdbcInbox.on(source).store(), GROUP))
                .service("waybill-demo")
                .retry(new RetryPolicy(4, Duration.ofSeconds(5), Duration.ofSeconds(40)))
                .build();
        KafkaInbox consumer = KafkaInbox.builder(bootstrapServers, inbox)
                .topics("order.shipped")
                .withoutRetentionCheck()
                .build();
        consumer.start();
        return consumer;
    }

    private static InboxBuilder<Connection> handlers(InboxBuilder<Connection> inbox) {
        return inbox.on("order.shipped", DemoWarehouse::shipped);
    }

    private static void shipped(Connection connection, Event event) throws SQLException {
        if (event.key().equals(POISON)) {
            throw new IllegalStateException(
                    "Order " + event.key() + " has no stock location: Cannot invoke \"Location.aisle()\"");
        }
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE demo_shipments SET parcels = parcels + 1 WHERE id = ?")) {
            update.setString(1, event.key());
            if (update.executeUpdate() == 0) {
                try (PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO demo_shipments (id, parcels) VALUES (?, 1)")) {
                    insert.setString(1, event.key());
                    insert.executeUpdate();
                }
            }
        }
    }
}
