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
 * What the served table has not been told yet. A published event whose row could not be changed stays in Waybill's table as
 * PUBLISHED, and a dead letter is marked; {@code locked_by}, which no finished event uses, says so. As long as it does, the
 * intake takes the row for known, although it still waits in the served table: it is neither published twice nor replayed.
 */
final class PendingWriteBacks {
    private static final String OWED = "locked_by = 'served table'";

    /** Of finished events {@code k}, those whose rows were told. */
    static final String NOT_OWED = "k.locked_by IS DISTINCT FROM 'served table'";

    private static final int CHUNK = 500;

    private static final String PUBLISHED = """
            INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, event_version, topic, occurred_at, payload,
                                       state, processed_at, locked_by)
            VALUES (?, ?, ?, ?, ?, ?, CAST(? AS timestamptz), CAST(? AS json), 'PUBLISHED', now(), 'served table')
            ON CONFLICT DO NOTHING""";

    private static final String DEAD =
            "UPDATE outbox_events SET " + OWED + " WHERE id = ANY (?) AND dead_at IS NOT NULL";

    /** In random order: one that is refused again and again must not keep others from being told. */
    private static final String FIND = "SELECT id, state = 'PUBLISHED' FROM outbox_events WHERE " + OWED
            + " AND (processed_at IS NOT NULL OR dead_at IS NOT NULL) ORDER BY random() LIMIT " + CHUNK;

    private static final String ANY = "SELECT 1 FROM outbox_events WHERE " + OWED
            + " AND (processed_at IS NOT NULL OR dead_at IS NOT NULL) LIMIT 1";

    private static final String COUNT = "SELECT count(*) FROM outbox_events WHERE " + OWED
            + " AND (processed_at IS NOT NULL OR dead_at IS NOT NULL)";

    private static final String FORGET = "DELETE FROM outbox_events WHERE id = ANY (?) AND state = 'PUBLISHED'";
    private static final String TOLD = "UPDATE outbox_events SET locked_by = NULL WHERE id = ANY (?) AND " + OWED;

    /** Retention must not remove them: their rows would be taken in again. */
    private static final String KEEP = "UPDATE outbox_events SET processed_at = now() WHERE " + OWED
            + " AND state = 'PUBLISHED' AND processed_at < now() - ? * interval '1 millisecond'";

    private final WriteBack telling;

    PendingWriteBacks(WriteBack telling) {
        this.telling = telling;
    }

    void published(Sql sql, List<Event> events) throws SQLException {
        for (Event event : events) {
            sql.update(
                    PUBLISHED,
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

    void dead(Sql sql, List<UUID> ids) throws SQLException {
        if (!ids.isEmpty()) {
            sql.update(DEAD, ids);
        }
    }

    static long count(Sql sql) throws SQLException {
        return sql.query(COUNT, row -> {
            row.next();
            return row.getLong(1);
        });
    }

    /** Whether the table still has to be told something. */
    boolean any(Sql sql) throws SQLException {
        if (sql.exists(ANY)) {
            return true;
        }
        telling.recovered();
        return false;
    }

    static void keep(Sql sql, Duration age) throws SQLException {
        sql.update(KEEP, age.toMillis() / 2);
    }

    /** Tells the table what it can be told by now. */
    void tell(Connection connection, Sql sql) throws SQLException {
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
        if (!all.isEmpty() && !together(connection, sql, published, dead)) {
            for (UUID id : all) {
                boolean sent = published.contains(id);
                together(connection, sql, sent ? List.of(id) : List.of(), sent ? List.of() : List.of(id));
            }
        }
    }

    /** @return false when one of several rows was refused, so that the others are worth a try of their own */
    private boolean together(Connection connection, Sql sql, List<UUID> published, List<UUID> dead)
            throws SQLException {
        WriteBack.Result result = telling.attempt(connection, published, List.of(), dead);
        List<UUID> told = new ArrayList<>(published);
        told.addAll(dead);
        told.removeAll(result.owed());
        if (!told.isEmpty()) {
            sql.update(FORGET, told);
            sql.update(TOLD, told);
        }
        return !WriteBack.aboutOneRow(result.refusal());
    }
}
