package io.waybill.server.up;

import io.waybill.Event;
import io.waybill.internal.LogText;
import io.waybill.jdbc.JdbcOutbox;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bonus points for a few customers, on a topic whose settings make the broker reject almost every message. The first event of each
 * customer fails and is retried; the later ones are parked behind it.
 */
final class DemoLoyalty {
    private static final Logger LOG = LoggerFactory.getLogger(DemoLoyalty.class);
    private static final String TYPE = "loyalty.points-granted";
    private static final int CUSTOMERS = 2;

    /** No further event is appended while this many are not published. */
    private static final int MOST_PENDING = 8;

    private final DataSource source;
    private final JdbcOutbox outbox = JdbcOutbox.create();
    private int appended;

    private DemoLoyalty(DataSource source) {
        this.source = source;
    }

    static DemoLoop start(DataSource source, String bootstrapServers) {
        createTopic(bootstrapServers);
        return DemoLoop.start("waybill-demo-loyalty", Duration.ofSeconds(6), new DemoLoyalty(source)::append);
    }

    /** The topic accepts only messages whose time stamp is not older than the broker's clock by a millisecond. */
    private static void createTopic(String bootstrapServers) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            NewTopic topic = new NewTopic(TYPE, 1, (short) 1)
                    .configs(Map.of("message.timestamp.type", "CreateTime", "message.timestamp.before.max.ms", "0"));
            admin.createTopics(List.of(topic)).all().get(30, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("Topic {} exists or cannot be created: {}", TYPE, LogText.oneLine(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void append() throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            if (unpublished(connection) < MOST_PENDING) {
                int customer = 7_001 + appended % CUSTOMERS;
                appended++;
                outbox.append(
                        connection,
                        Event.of(
                                TYPE,
                                "Customer",
                                "customer-" + customer,
                                "{\"customer\":" + customer + ",\"points\":" + appended * 10 + "}"));
            }
            connection.commit();
        }
    }

    private static int unpublished(Connection connection) throws SQLException {
        try (PreparedStatement count = connection.prepareStatement(
                "SELECT count(*) FROM outbox_events e JOIN outbox_states s ON s.id = e.id WHERE e.event_type = ?"
                        + " AND s.state NOT IN ('PUBLISHED', 'DISCARDED')")) {
            count.setString(1, TYPE);
            try (ResultSet pending = count.executeQuery()) {
                pending.next();
                return pending.getInt(1);
            }
        }
    }
}
