package io.waybill.jdbc;

import io.waybill.Event;
import io.waybill.Outbox;
import io.waybill.WaybillException;
import io.waybill.envelope.JsonText;
import io.waybill.internal.PayloadLimit;
import io.waybill.jdbc.internal.sql.JsonValue;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.SqlState;
import io.waybill.jdbc.internal.sql.StoreExceptions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Appends events through the caller's JDBC connection, in the caller's transaction. Never commits and never rolls back. An instance
 * has no state and can be used by all threads.
 */
public final class JdbcOutbox implements Outbox<Connection> {
    /** With its envelope, such a payload fits into the default limit of a Kafka broker, one mebibyte. */
    public static final int DEFAULT_MAX_PAYLOAD_BYTES = PayloadLimit.DEFAULT_BYTES;

    private static final String INSERT = """
            INSERT INTO outbox_events (id, aggregate_type, aggregate_id, aggregate_version, event_type, event_version,
                                       topic, headers, occurred_at, payload)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""";

    private final PayloadLimit limit;

    private JdbcOutbox(PayloadLimit limit) {
        this.limit = limit;
    }

    public static JdbcOutbox create() {
        return withMaxPayload(DEFAULT_MAX_PAYLOAD_BYTES);
    }

    /** @param bytes the largest payload in bytes of UTF-8; the broker must accept messages that are larger than that */
    public static JdbcOutbox withMaxPayload(int bytes) {
        return new JdbcOutbox(PayloadLimit.of(bytes, Integer.MAX_VALUE));
    }

    @Override
    public void append(Connection transaction, Collection<Event> events) {
        if (events.isEmpty()) {
            return;
        }
        Event first = events.iterator().next();
        String what = "append event " + first.type() + "/" + first.key()
                + (events.size() == 1 ? "" : " and " + (events.size() - 1) + " more");
        events.forEach(limit::check);
        try {
            if (transaction.getAutoCommit()) {
                throw new WaybillException(
                        "Cannot " + what + ": no transaction is active, the connection is in auto-commit"
                                + " mode. Call setAutoCommit(false) and append inside the transaction that changes your data.");
            }
            Sql sql = Sql.on(transaction);
            if (events.size() == 1) {
                sql.update(INSERT, row(first).toArray());
            } else {
                sql.updateEach(INSERT, events.stream().map(JdbcOutbox::row).toList());
            }
        } catch (SQLException e) {
            if (SqlState.of(e).equals(SqlState.UNIQUE_VIOLATION)) {
                throw new WaybillException(
                        "Cannot " + what
                                + ": the outbox already contains an event with the same id. Roll back, and use a new id for"
                                + " every event.",
                        e);
            }
            throw StoreExceptions.explain(what, e);
        }
    }

    private static List<@Nullable Object> row(Event event) {
        return Arrays.asList(
                event.id(),
                event.aggregateType(),
                event.key(),
                event.aggregateVersion().isPresent()
                        ? event.aggregateVersion().getAsLong()
                        : new Sql.TypedNull(Types.BIGINT),
                event.type(),
                event.version(),
                event.topic().isPresent() ? event.topic().get() : new Sql.TypedNull(Types.VARCHAR),
                event.headers().isEmpty() ? null : new JsonValue(JsonText.object(event.headers())),
                event.occurredAt(),
                new JsonValue(event.payload()));
    }
}
