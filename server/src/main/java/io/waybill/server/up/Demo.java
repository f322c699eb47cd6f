package io.waybill.server.up;

import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.internal.DaemonThreads;
import io.waybill.internal.LogText;
import io.waybill.jdbc.JdbcOutbox;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Generates the load of a small shop: each transaction changes one order and appends the event of that change. A few orders
 * get most of the traffic, and one transaction in twenty rolls back together with its event. From time to time the demo
 * inserts an event that the broker rejects, because its topic is misspelled or because it is too large. It becomes a dead letter that
 * the user can repair.
 */
public final class Demo implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Demo.class);
    private static final String[] STATES = {"placed", "paid", "shipped"};
    private static final int ORDERS = 200;
    private static final int HOT_ORDERS = 5;

    /** The correct spelling of the misspelled topic. */
    public static final String REFUNDS = "order.refunded";

    /** Kafka and NATS reject this name. */
    private static final String MISSPELLED = "order refunded";

    /** More than the brokers accept by default. */
    private static final int OVERSIZED = 1_200_000;

    private static final long FIRST_MISTAKE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long MISTAKE_NANOS = TimeUnit.SECONDS.toNanos(45);

    /** The demo inserts no further misspelled event while this many are not yet repaired. */
    private static final int MOST_MISTAKES = 5;

    private final DataSource source;
    private final double perSecond;
    private final JdbcOutbox outbox = JdbcOutbox.create();
    private final Random random = new Random();
    private final Thread thread = DaemonThreads.create("waybill-demo", this::run);
    private int mistakes;
    private long nextMistake = System.nanoTime() + FIRST_MISTAKE_NANOS;
    private volatile boolean stopped;

    private Demo(DataSource source, double perSecond) {
        this.source = source;
        this.perSecond = perSecond;
    }

    /** @param perSecond the approximate number of transactions per second */
    public static Demo start(DataSource source, double perSecond) {
        Demo demo = new Demo(source, perSecond);
        demo.thread.start();
        return demo;
    }

    private void run() {
        boolean complained = false;
        boolean prepared = false;
        while (!stopped) {
            try (Connection connection = source.getConnection()) {
                if (!prepared) {
                    prepare(connection);
                    prepared = true;
                }
                connection.setAutoCommit(false);
                while (!stopped) {
                    step(connection);
                    mistake(connection);
                    complained = false;
                    pause(Math.max(1, Math.round(1_000 / perSecond)));
                }
            } catch (SQLException | RuntimeException e) {
                if (!complained && !stopped) {
                    LOG.warn("The demo cannot write; retrying every second: {}", LogText.oneLine(e.getMessage()));
                    complained = true;
                }
                pause(1_000);
            }
        }
    }

    private static void prepare(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS demo_orders (id bigint PRIMARY KEY, state varchar(32) NOT NULL,"
                            + " changes bigint NOT NULL DEFAULT 0, total numeric(10, 2) NOT NULL DEFAULT 0)");
            try (ResultSet orders = statement.executeQuery("SELECT count(*) FROM demo_orders")) {
                orders.next();
                if (orders.getInt(1) > 0) {
                    return;
                }
            }
            for (int order = 1; order <= ORDERS; order++) {
                statement.addBatch("INSERT INTO demo_orders (id, state) VALUES (" + order + ", 'new')");
            }
            statement.executeBatch();
        }
    }

    private void step(Connection connection) throws SQLException {
        long order = 1L + (random.nextInt(10) < 6 ? random.nextInt(HOT_ORDERS) : random.nextInt(ORDERS));
        try (PreparedStatement change = connection.prepareStatement(
                        "UPDATE demo_orders SET changes = changes + 1, state = ?, total = ? WHERE id = ?");
                PreparedStatement count = connection.prepareStatement("SELECT changes FROM demo_orders WHERE id = ?")) {
            String state = STATES[random.nextInt(STATES.length)];
            String total = (10 + random.nextInt(990)) + "." + random.nextInt(10) + random.nextInt(10);
            change.setString(1, state);
            change.setBigDecimal(2, new BigDecimal(total));
            change.setLong(3, order);
            change.executeUpdate();
            count.setLong(1, order);
            long version;
            try (ResultSet changed = count.executeQuery()) {
                changed.next();
                version = changed.getLong(1);
            }
            outbox.append(connection, event(order, version, state, total));
        }
        if (random.nextInt(20) == 0) {
            connection.rollback();
        } else {
            connection.commit();
        }
    }

    /** Uses plain SQL, as a service in any language can: only the broker checks the topic. */
    private void mistake(Connection connection) throws SQLException {
        if (System.nanoTime() - nextMistake < 0) {
            return;
        }
        nextMistake = System.nanoTime() + MISTAKE_NANOS;
        if (mistakes++ == 1) {
            oversized(connection);
            return;
        }
        String refund = "refund-" + (1_000 + random.nextInt(9_000));
        try (PreparedStatement open = connection.prepareStatement("SELECT count(*) FROM outbox_states s"
                        + " JOIN outbox_events e ON e.id = s.id WHERE e.topic = ? AND s.state <> 'DISCARDED'");
                PreparedStatement insert = connection.prepareStatement("INSERT INTO outbox_events"
                        + " (id, aggregate_type, aggregate_id, event_type, topic, payload) VALUES (?, ?, ?, ?, ?,"
                        + " '{\"refund\":\"" + refund + "\"}')")) {
            open.setString(1, MISSPELLED);
            try (ResultSet count = open.executeQuery()) {
                count.next();
                if (count.getInt(1) >= MOST_MISTAKES) {
                    connection.rollback();
                    return;
                }
            }
            insert.setObject(1, UUID.randomUUID());
            insert.setString(2, "Refund");
            insert.setString(3, refund);
            insert.setString(4, REFUNDS);
            insert.setString(5, MISSPELLED);
            insert.executeUpdate();
            connection.commit();
        }
    }

    /** With plain SQL, because the outbox rejects such a payload by default. */
    private void oversized(Connection connection) throws SQLException {
        String invoice = "invoice-" + (1_000 + random.nextInt(9_000));
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO outbox_events"
                + " (id, aggregate_type, aggregate_id, event_type, payload) VALUES (?, ?, ?, ?, '{\"invoice\":\""
                + invoice
                + "\",\"scan\":\"" + "0".repeat(OVERSIZED) + "\"}')")) {
            insert.setObject(1, UUID.randomUUID());
            insert.setString(2, "Invoice");
            insert.setString(3, invoice);
            insert.setString(4, "invoice.scanned");
            insert.executeUpdate();
            connection.commit();
        }
    }

    private static Event event(long order, long version, String state, String total) {
        return Event.builder("order." + state, "Order", Long.toString(order))
                .aggregateVersion(version)
                .payload("{\"orderId\":" + order + ",\"change\":" + version + ",\"state\":\"" + state + "\",\"total\":"
                        + total + "}")
                .header(Headers.SOURCE, "waybill-demo")
                .header(Headers.CORRELATION_ID, UUID.randomUUID().toString())
                .build();
    }

    private void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            stopped = true;
        }
    }

    @Override
    public void close() {
        stopped = true;
        thread.interrupt();
        try {
            thread.join(2_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
