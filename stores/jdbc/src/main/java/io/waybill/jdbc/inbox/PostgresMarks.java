package io.waybill.jdbc.inbox;

import io.waybill.Event;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.InboxStore.Admission;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Marks one or several events with one statement. */
final class PostgresMarks implements ProcessedMarks {
    /**
     * The first result column tells that this statement has marked the event, the second that the key is held. It must be one
     * statement: if another consumer released the key between two statements, a new event would look like a duplicate. The
     * statement runs in the handler's transaction, with the planner settings of the application. ORDER BY position leaves only one
     * cheap plan, along the index of keys. Without it, statistics from a time when one key had all held events make PostgreSQL
     * scan the table.
     */
    private static final String ADMIT = """
            WITH held AS (SELECT 1 FROM inbox_held WHERE consumer_group = ? AND entity_id = ? AND state <> 'GAP' ORDER BY position
                          LIMIT 1),
                 marked AS (""" + INSERT + """

                            SELECT ?, CAST(? AS uuid), ?, CAST(? AS text), ?, CAST(? AS bigint) WHERE NOT EXISTS (SELECT 1 FROM held)
                            ON CONFLICT DO NOTHING RETURNING 1)
            SELECT EXISTS (SELECT 1 FROM marked), EXISTS (SELECT 1 FROM held)""";

    private static final String ADMIT_ALL = """
            WITH received AS (SELECT * FROM unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::text[])
                              WITH ORDINALITY AS t (id, type, source, key, version, n)),
                 held AS (SELECT DISTINCT r.key FROM received r
                          WHERE (SELECT 1 FROM inbox_held h WHERE h.consumer_group = ? AND h.entity_id = r.key
                                 AND h.state <> 'GAP' ORDER BY h.position LIMIT 1) IS NOT NULL),
                 marked AS (""" + INSERT + """

                            SELECT ?, id, type, source, key, nullif(version, '')::bigint FROM received
                            WHERE key NOT IN (SELECT key FROM held)
                            ON CONFLICT DO NOTHING RETURNING event_id)
            SELECT m.event_id IS NOT NULL, h.key IS NOT NULL
            FROM received r LEFT JOIN marked m ON m.event_id = r.id LEFT JOIN held h ON h.key = r.key ORDER BY r.n""";

    @Override
    public Admission admit(Connection connection, String group, Event event) {
        String key = InboxStore.qualifiedKey(event);
        return InboxStatement.query(
                connection,
                "mark event " + event.id(),
                ADMIT,
                (dialect, row) -> {
                    row.next();
                    return admission(row);
                },
                group,
                key,
                group,
                event.id(),
                event.type(),
                ProcessedMarks.source(event),
                key,
                JdbcInboxStore.version(event));
    }

    @Override
    public List<Admission> admitAll(Connection connection, String group, List<Event> events) {
        List<UUID> ids = events.stream().map(Event::id).toList();
        List<Admission> admissions = InboxStatement.query(
                connection,
                "mark " + events.size() + " events",
                ADMIT_ALL,
                (dialect, row) -> {
                    List<Admission> read = new ArrayList<>(events.size());
                    while (row.next()) {
                        read.add(admission(row));
                    }
                    return read;
                },
                ids,
                events.stream().map(Event::type).toList(),
                events.stream().map(ProcessedMarks::source).toList(),
                events.stream().map(InboxStore::qualifiedKey).toList(),
                events.stream().map(PostgresMarks::versionText).toList(),
                group,
                group);
        // If the list contains an event twice, the mark admits only the first occurrence.
        Set<UUID> seen = new HashSet<>();
        for (int i = 0; i < ids.size(); i++) {
            if (!seen.add(ids.get(i)) && admissions.get(i) == Admission.ADMITTED) {
                admissions.set(i, Admission.DUPLICATE);
            }
        }
        return admissions;
    }

    private static Admission admission(ResultSet row) throws SQLException {
        return row.getBoolean(1) ? Admission.ADMITTED : row.getBoolean(2) ? Admission.HELD : Admission.DUPLICATE;
    }

    private static String versionText(Event event) {
        Long version = JdbcInboxStore.version(event);
        return version == null ? "" : version.toString();
    }
}
