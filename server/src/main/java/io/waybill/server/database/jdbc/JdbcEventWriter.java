package io.waybill.server.database.jdbc;

import io.waybill.Event;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.server.database.EventWriter;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import javax.sql.DataSource;

/** Appends events on one connection. */
final class JdbcEventWriter implements EventWriter {
    private final JdbcDatabase database;
    private final Connection connection;
    private final JdbcOutbox outbox;

    private JdbcEventWriter(JdbcDatabase database, Connection connection, JdbcOutbox outbox) {
        this.database = database;
        this.connection = connection;
        this.outbox = outbox;
    }

    static JdbcEventWriter open(JdbcDatabase database, DataSource source, int maxPayload) {
        try {
            Connection connection = source.getConnection();
            connection.setAutoCommit(false);
            return new JdbcEventWriter(database, connection, JdbcOutbox.withMaxPayload(maxPayload));
        } catch (SQLException e) {
            throw database.explain(e);
        }
    }

    @Override
    public void append(Collection<Event> events) {
        outbox.append(connection, events);
    }

    @Override
    public void commit() {
        try {
            connection.commit();
        } catch (SQLException e) {
            throw new StoreException("Cannot commit the events: " + e.getMessage(), e);
        }
    }

    /** Closing the connection rolls back its transaction. */
    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw database.explain(e);
        }
    }
}
