package io.waybill.jdbc;

import io.waybill.Event;
import io.waybill.Outbox;
import io.waybill.WaybillException;
import io.waybill.envelope.JsonText;
import io.waybill.jdbc.internal.sql.JsonValue;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.SqlErrors;
import io.waybill.jdbc.internal.sql.SqlState;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Appends events through the caller's JDBC connection, in the caller's transaction. Never commits, never rolls back, keeps
 * nothing: one instance serves all threads.
 */
public final class JdbcOutbox implements Outbox<Connection> {
    /** Fits a Kafka broker's default of one mebibyte, envelope included. */
    public static final int DEFAULT_MAX_PAYLOAD_BYTES = 1_000_000;

    private static final String INSERT = """
            INSERT INTO outbox_events (id, aggregate_type, aggregate_id, aggregate_version, event_type, event_version,
                                       topic, headers, occurred_at, payload)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""";

    private final int maxPayloadBytes;

    private JdbcOutbox(int maxPayloadBytes) {
        this.maxPayloadBytes = maxPayloadBytes;
    }

    public static JdbcOutbox create() {
        return new JdbcOutbox(DEFAULT_MAX_PAYLOAD_BYTES);
    }

    /** @param bytes largest payload to accept, as UTF-8; what the broker accepts must be larger */
    public static JdbcOutbox withMaxPayload(int bytes) {
        if (bytes < 1) {
            throw new WaybillException("The largest payload must be 1 byte or more, not " + bytes + ".");
        }
        return new JdbcOutbox(bytes);
    }

    @Override
    public void append(Connection transaction, Collection<Event> events) {
        if (events.isEmpty()) {
            return;
        }
        Event first = events.iterator().next();
        String what = "append event " + first.type() + "/" + first.key()
                + (events.size() == 1 ? "" : " and " + (events.size() - 1) + " more");
        events.forEach(this::checkSize);
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
            if (SqlState.of(e).equals(SqlState.DUPLICATE)) {
                throw new WaybillException(
                        "Cannot " + what
                                + ": an event with the same id is in the outbox already. Roll back; ids must be new.",
                        e);
            }
            throw SqlErrors.explain(what, e);
        }
    }

    private static List<@Nullable Object> row(Event event) {
        return Arrays.asList(
                event.id(),
                event.aggregateType(),
                event.key(),
                event.aggregateVersion().isPresent()
                        ? event.aggregateVersion().getAsLong()
                        : new Sql.Null(Types.BIGINT),
                event.type(),
                event.version(),
                event.topic().isPresent() ? event.topic().get() : new Sql.Null(Types.VARCHAR),
                event.headers().isEmpty() ? null : new JsonValue(JsonText.object(event.headers())),
                event.occurredAt(),
                new JsonValue(event.payload()));
    }

    private void checkSize(Event event) {
        int length = event.payload().length();
        if (length * 3L <= maxPayloadBytes) {
            return; // UTF-8 needs at most three bytes per char
        }
        int bytes = event.payload().getBytes(StandardCharsets.UTF_8).length;
        if (bytes > maxPayloadBytes) {
            throw new WaybillException("Cannot append event " + event.type() + "/" + event.key() + ": its payload has "
                    + bytes + " bytes, the limit is " + maxPayloadBytes
                    + ". Store large content elsewhere and send a reference, or raise the limit of the outbox and of the"
                    + " broker.");
        }
    }
}
