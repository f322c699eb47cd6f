package io.waybill.server.database.jdbc;

import io.waybill.Event;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.server.database.DemoOrders;
import io.waybill.store.StoreException;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.LongFunction;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The orders of the demo in a table. Keeps one connection, and opens another one after an error. */
final class JdbcDemoOrders implements DemoOrders {
    private final DataSource source;
    private final JdbcOutbox outbox = JdbcOutbox.create();
    private @Nullable Connection connection;

    JdbcDemoOrders(DataSource source) {
        this.source = source;
    }

    /** Statements of one call. */
    private interface Work {
        void on(Connection connection) throws SQLException;
    }

    private void run(Work work) {
        try {
            if (connection == null) {
                connection = source.getConnection();
                connection.setAutoCommit(false);
            }
            work.on(connection);
        } catch (SQLException e) {
            close();
            throw new StoreException(String.valueOf(e.getMessage()), e);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    @Override
    public void create(int count) {
        run(current -> {
            try (Statement statement = current.createStatement()) {
                statement.execute(
                        "CREATE TABLE IF NOT EXISTS demo_orders (id bigint PRIMARY KEY, state varchar(32) NOT NULL,"
                                + " changes bigint NOT NULL DEFAULT 0, total numeric(10, 2) NOT NULL DEFAULT 0)");
                if (isEmpty(statement)) {
                    for (int order = 1; order <= count; order++) {
                        statement.addBatch("INSERT INTO demo_orders (id, state) VALUES (" + order + ", 'new')");
                    }
                    statement.executeBatch();
                }
            }
            current.commit();
        });
    }

    private static boolean isEmpty(Statement statement) throws SQLException {
        try (ResultSet orders = statement.executeQuery("SELECT count(*) FROM demo_orders")) {
            orders.next();
            return orders.getInt(1) == 0;
        }
    }

    @Override
    public void change(long order, String state, String total, LongFunction<Event> event, boolean commit) {
        run(current -> {
            try (PreparedStatement change = current.prepareStatement(
                            "UPDATE demo_orders SET changes = changes + 1, state = ?, total = ? WHERE id = ?");
                    PreparedStatement count =
                            current.prepareStatement("SELECT changes FROM demo_orders WHERE id = ?")) {
                change.setString(1, state);
                change.setBigDecimal(2, new BigDecimal(total));
                change.setLong(3, order);
                change.executeUpdate();
                count.setLong(1, order);
                long changes;
                try (ResultSet changed = count.executeQuery()) {
                    changed.next();
                    changes = changed.getLong(1);
                }
                outbox.append(current, event.apply(changes));
            }
            if (commit) {
                current.commit();
            } else {
                current.rollback();
            }
        });
    }

    @Override
    public void insert(Event event, int most) {
        run(current -> {
            try (PreparedStatement open = current.prepareStatement("SELECT count(*) FROM outbox_states s"
                            + " JOIN outbox_events e ON e.id = s.id WHERE e.topic = ? AND s.state <> 'DISCARDED'");
                    PreparedStatement insert = current.prepareStatement("INSERT INTO outbox_events"
                            + " (id, aggregate_type, aggregate_id, event_type, topic, payload) VALUES (?, ?, ?, ?, ?, '"
                            + event.payload() + "')")) {
                open.setString(1, event.destination());
                try (ResultSet count = open.executeQuery()) {
                    count.next();
                    if (count.getInt(1) >= most) {
                        current.rollback();
                        return;
                    }
                }
                insert.setObject(1, event.id());
                insert.setString(2, event.aggregateType());
                insert.setString(3, event.key());
                insert.setString(4, event.type());
                insert.setString(5, event.destination());
                insert.executeUpdate();
                current.commit();
            }
        });
    }

    @Override
    public void close() {
        Connection kept = connection;
        connection = null;
        if (kept != null) {
            try {
                kept.close();
            } catch (SQLException e) {
                // The connection is not used any more.
            }
        }
    }
}
