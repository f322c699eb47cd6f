package io.waybill.jdbc;

import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.InboxStore.Admission;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** The marks of what a group has decided: who writes one first may apply the event. */
final class InboxMarks {
    private static final String MARK_COLUMNS =
            "INSERT INTO processed_events (consumer_group, event_id, event_type, source, entity_id, entity_version)";

    /**
     * One round trip decides: the first column says that the event is marked now, the second that its entity is held. Two
     * statements would not do: an entity that is released between them would make a new event look like a duplicate.
     */
    private static final String ADMIT = """
            WITH held AS (SELECT 1 FROM inbox_held WHERE consumer_group = ? AND entity_id = ? AND state <> 'GAP' LIMIT 1),
                 marked AS (""" + MARK_COLUMNS + """

                            SELECT ?, CAST(? AS uuid), ?, CAST(? AS text), ?, CAST(? AS bigint) WHERE NOT EXISTS (SELECT 1 FROM held)
                            ON CONFLICT DO NOTHING RETURNING 1)
            SELECT EXISTS (SELECT 1 FROM marked), EXISTS (SELECT 1 FROM held)""";

    private static final String ADMIT_ALL = """
            WITH came AS (SELECT * FROM unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::text[])
                          WITH ORDINALITY AS t (id, type, source, entity, version, n)),
                 held AS (SELECT DISTINCT c.entity FROM came c JOIN inbox_held h
                          ON h.consumer_group = ? AND h.entity_id = c.entity AND h.state <> 'GAP'),
                 marked AS (""" + MARK_COLUMNS + """

                            SELECT ?, id, type, source, entity, nullif(version, '')::bigint FROM came
                            WHERE entity NOT IN (SELECT entity FROM held)
                            ON CONFLICT DO NOTHING RETURNING event_id)
            SELECT m.event_id IS NOT NULL, h.entity IS NOT NULL
            FROM came c LEFT JOIN marked m ON m.event_id = c.id LEFT JOIN held h ON h.entity = c.entity ORDER BY c.n""";

    private static final String MARK = MARK_COLUMNS + " VALUES (?, ?, ?, ?, ?, ?)";

    private static final String IS_HELD =
            "SELECT 1 FROM inbox_held WHERE consumer_group = ? AND entity_id = ? AND state <> 'GAP' LIMIT 1";

    private static final String ALL_HELD =
            "SELECT DISTINCT entity_id FROM inbox_held WHERE consumer_group = ? AND state <> 'GAP' AND entity_id = ANY (?)";

    private static final String ALL_MARKED =
            "SELECT event_id FROM processed_events WHERE consumer_group = ? AND event_id = ANY (?)";

    private InboxMarks() {}

    static Admission admit(Connection connection, String group, Event event, boolean isHeld) {
        String what = "mark event " + event.id();
        String entity = InboxStore.entity(event);
        if (!isHeld && setBased(connection)) {
            return InboxStatement.query(
                    connection,
                    what,
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
                    source(event),
                    entity,
                    InboxTables.version(event));
        }
        // What is held is looked for first: once it is not, only another's mark can be in the way of this one.
        if (!isHeld && InboxStatement.exists(connection, what, IS_HELD, group, entity)) {
            return Admission.HELD;
        }
        return mark(connection, group, event) ? Admission.ADMITTED : Admission.DUPLICATE;
    }

    private static boolean mark(Connection connection, String group, Event event) {
        return InboxStatement.insert(
                connection,
                "mark event " + event.id(),
                MARK,
                group,
                event.id(),
                event.type(),
                source(event),
                InboxStore.entity(event),
                InboxTables.version(event));
    }

    static List<Admission> admitAll(Connection connection, String group, List<Event> events) {
        return setBased(connection)
                ? admitTogether(connection, group, events)
                : admitOneByOne(connection, group, events);
    }

    private static List<Admission> admitTogether(Connection connection, String group, List<Event> events) {
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
                events.stream().map(InboxMarks::source).toList(),
                events.stream().map(InboxStore::entity).toList(),
                events.stream().map(InboxMarks::versionText).toList(),
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

    /** Asks for all at once what stands in the way; marks are written one by one, for another consumer may write the same. */
    private static List<Admission> admitOneByOne(Connection connection, String group, List<Event> events) {
        String what = "mark " + events.size() + " events";
        Set<String> held = InboxStatement.query(
                connection,
                what,
                ALL_HELD,
                (dialect, row) -> {
                    Set<String> entities = new HashSet<>();
                    while (row.next()) {
                        entities.add(row.getString(1));
                    }
                    return entities;
                },
                group,
                events.stream().map(InboxStore::entity).toList());
        Set<UUID> marked = InboxStatement.query(
                connection,
                what,
                ALL_MARKED,
                (dialect, row) -> {
                    Set<UUID> ids = new HashSet<>();
                    while (row.next()) {
                        ids.add(dialect.uuid(row, 1));
                    }
                    return ids;
                },
                group,
                events.stream().map(Event::id).toList());
        List<Admission> admissions = new ArrayList<>(events.size());
        for (Event event : events) {
            if (held.contains(InboxStore.entity(event))) {
                admissions.add(Admission.HELD);
            } else {
                boolean first = marked.add(event.id()) && mark(connection, group, event);
                admissions.add(first ? Admission.ADMITTED : Admission.DUPLICATE);
            }
        }
        return admissions;
    }

    private static Admission admission(ResultSet row) throws SQLException {
        return row.getBoolean(1) ? Admission.ADMITTED : row.getBoolean(2) ? Admission.HELD : Admission.DUPLICATE;
    }

    private static boolean setBased(Connection connection) {
        try {
            return Dialect.of(connection).setBased();
        } catch (SQLException e) {
            throw new StoreException("Cannot mark events: " + e.getMessage(), e);
        }
    }

    private static String source(Event event) {
        return SqlErrors.storable(event.headers().getOrDefault(Headers.SOURCE, ""), 255);
    }

    private static String versionText(Event event) {
        Long version = InboxTables.version(event);
        return version == null ? "" : version.toString();
    }
}
