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

/** Marks with one statement, be it one event or many. */
final class PostgresMarks implements ProcessedMarks {
    /**
     * One round trip decides: the first column says that the event is marked now, the second that its entity is held. Two
     * statements would not do: an entity that is released between them would make a new event look like a duplicate. Runs in the
     * handler's transaction, with the planner's settings as they are. The order by position leaves one cheap plan, along the index
     * of entities; without it, statistics from a time when one entity had all held events make it read the table.
     */
    private static final String ADMIT = """
            WITH held AS (SELECT 1 FROM inbox_held WHERE consumer_group = ? AND entity_id = ? AND state <> 'GAP' ORDER BY position
                          LIMIT 1),
                 marked AS (""" + COLUMNS + """

                            SELECT ?, CAST(? AS uuid), ?, CAST(? AS text), ?, CAST(? AS bigint) WHERE NOT EXISTS (SELECT 1 FROM held)
                            ON CONFLICT DO NOTHING RETURNING 1)
            SELECT EXISTS (SELECT 1 FROM marked), EXISTS (SELECT 1 FROM held)""";

    private static final String ADMIT_ALL = """
            WITH came AS (SELECT * FROM unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::text[])
                          WITH ORDINALITY AS t (id, type, source, entity, version, n)),
                 held AS (SELECT DISTINCT c.entity FROM came c
                          WHERE (SELECT 1 FROM inbox_held h WHERE h.consumer_group = ? AND h.entity_id = c.entity
                                 AND h.state <> 'GAP' ORDER BY h.position LIMIT 1) IS NOT NULL),
                 marked AS (""" + COLUMNS + """

                            SELECT ?, id, type, source, entity, nullif(version, '')::bigint FROM came
                            WHERE entity NOT IN (SELECT entity FROM held)
                            ON CONFLICT DO NOTHING RETURNING event_id)
            SELECT m.event_id IS NOT NULL, h.entity IS NOT NULL
            FROM came c LEFT JOIN marked m ON m.event_id = c.id LEFT JOIN held h ON h.entity = c.entity ORDER BY c.n""";

    @Override
    public Admission admit(Connection connection, String group, Event event) {
        String entity = InboxStore.qualifiedKey(event);
        return InboxStatement.query(
                connection,
                "mark event " + event.id(),
                ADMIT,
                (dialect, row) -> {
                    row.next();
                    return admission(row);
                },
                group,
                entity,
                group,
                event.id(),
                event.type(),
                ProcessedMarks.source(event),
                entity,
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
                    List<Admission> answers = new ArrayList<>(events.size());
                    while (row.next()) {
                        answers.add(admission(row));
                    }
                    return answers;
                },
                ids,
                events.stream().map(Event::type).toList(),
                events.stream().map(ProcessedMarks::source).toList(),
                events.stream().map(InboxStore::qualifiedKey).toList(),
                events.stream().map(PostgresMarks::versionText).toList(),
                group,
                group);
        // An event that stands in the list twice has one mark, which admits the first of them.
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
