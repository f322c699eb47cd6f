package io.waybill.jdbc.layout;

import io.waybill.Event;
import io.waybill.jdbc.internal.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The outcomes that could not yet be written into the served table. A published event whose row could not be changed stays
 * in Waybill's table as PUBLISHED, and a dead letter is marked; the mark is in {@code locked_by}, which no finished event
 * uses. While the mark is set, the importer treats the row as known, although it still waits in the served table: the event
 * is neither published twice nor replayed.
 */
final class PendingWriteBacks {
    private static final String PENDING = "locked_by = 'served table'";

    /** Condition on a finished event {@code k}: its outcome is written into the served table. */
    static final String NOT_PENDING = "k.locked_by IS DISTINCT FROM 'served table'";

    private static final int CHUNK = 500;

    private static final String INSERT_PUBLISHED = """
            INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, event_version, topic, occurred_at, payload,
                                       state, processed_at, locked_by)
            VALUES (?, ?, ?, ?, ?, ?, CAST(? AS timestamptz), CAST(? AS json), 'PUBLISHED', now(), 'served table')
            ON CONFLICT DO NOTHING""";

    private static final String MARK_DEAD =
            "UPDATE outbox_events SET " + PENDING + " WHERE id = ANY (?) AND dead_at IS NOT NULL";

    /** Selects events in random order, so that a row that is refused every time does not block the others. */
    private static final String FIND = "SELECT id, state = 'PUBLISHED' FROM outbox_events WHERE " + PENDING
            + " AND (processed_at IS NOT NULL OR dead_at IS NOT NULL) ORDER BY random() LIMIT " + CHUNK;

    private static final String ANY = "SELECT 1 FROM outbox_events WHERE " + PENDING
            + " AND (processed_at IS NOT NULL OR dead_at IS NOT NULL) LIMIT 1";

    private static final String COUNT = "SELECT count(*) FROM outbox_events WHERE " + PENDING
            + " AND (processed_at IS NOT NULL OR dead_at IS NOT NULL)";

    private static final String DELETE_PUBLISHED =
            "DELETE FROM outbox_events WHERE id = ANY (?) AND state = 'PUBLISHED'";
    private static final String CLEAR_MARK =
            "UPDATE outbox_events SET locked_by = NULL WHERE id = ANY (?) AND " + PENDING;

    /** Keeps retention from removing these events: their rows would be imported again. */
    private static final String KEEP = "UPDATE outbox_events SET processed_at = now() WHERE " + PENDING
            + " AND state = 'PUBLISHED' AND processed_at < now() - ? * interval '1 millisecond'";

    private final WriteBack writeBack;

    PendingWriteBacks(WriteBack writeBack) {
        this.writeBack = writeBack;
    }

    void addPublished(Sql sql, List<Event> events) throws SQLException {
        for (Event event : events) {
            sql.update(
                    INSERT_PUBLISHED,
                    event.id(),
                    event.aggregateType(),
                    event.key(),
                    event.type(),
                    event.version(),
                    event.topic().orElse(null),
                    event.occurredAt().toString(),
                    event.payload());
        }
    }

    void addDead(Sql sql, List<UUID> ids) throws SQLException {
        if (!ids.isEmpty()) {
            sql.update(MARK_DEAD, ids);
        }
    }

    static long count(Sql sql) throws SQLException {
        return sql.query(COUNT, row -> {
            row.next();
            return row.getLong(1);
        });
    }

    /** Whether any write is pending. */
    boolean any(Sql sql) throws SQLException {
        if (sql.exists(ANY)) {
            return true;
        }
        writeBack.recovered();
        return false;
    }

    static void keep(Sql sql, Duration age) throws SQLException {
        sql.update(KEEP, age.toMillis() / 2);
    }

    /** Retries the pending writes: all of a chunk at once, or one by one if a row is refused. */
    void write(Connection connection, Sql sql) throws SQLException {
        List<UUID> published = new ArrayList<>();
        List<UUID> dead = new ArrayList<>();
        sql.query(FIND, row -> {
            while (row.next()) {
                (row.getBoolean(2) ? published : dead).add(row.getObject(1, UUID.class));
            }
            return published;
        });
        List<UUID> all = new ArrayList<>(published);
        all.addAll(dead);
        if (!all.isEmpty() && !writeAll(connection, sql, published, dead)) {
            for (UUID id : all) {
                boolean isPublished = published.contains(id);
                writeAll(connection, sql, isPublished ? List.of(id) : List.of(), isPublished ? List.of() : List.of(id));
            }
        }
    }

    /** @return false if the table refused a single row, so that the caller should try the other rows one by one */
    private boolean writeAll(Connection connection, Sql sql, List<UUID> published, List<UUID> dead)
            throws SQLException {
        WriteBack.Result result = writeBack.attempt(connection, published, List.of(), dead);
        List<UUID> written = new ArrayList<>(published);
        written.addAll(dead);
        written.removeAll(result.pending());
        if (!written.isEmpty()) {
            sql.update(DELETE_PUBLISHED, written);
            sql.update(CLEAR_MARK, written);
        }
        return !WriteBack.aboutOneRow(result.refusal());
    }
}
