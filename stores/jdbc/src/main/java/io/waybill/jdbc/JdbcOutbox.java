package io.waybill.jdbc;

import io.waybill.Event;
import io.waybill.Outbox;
import java.sql.Connection;
import java.util.Collection;

/** Skeleton. */
public final class JdbcOutbox implements Outbox<Connection> {
    public static final int DEFAULT_MAX_PAYLOAD_BYTES = 1_000_000;

    public static JdbcOutbox create() {
        return new JdbcOutbox();
    }

    public static JdbcOutbox withMaxPayload(int bytes) {
        return new JdbcOutbox();
    }

    @Override
    public void append(Connection transaction, Collection<Event> events) {
        throw new UnsupportedOperationException();
    }
}
