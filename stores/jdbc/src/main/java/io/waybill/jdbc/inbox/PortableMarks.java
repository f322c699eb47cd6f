package io.waybill.jdbc.inbox;

import io.waybill.Event;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.InboxStore.Admission;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Marks events with portable SQL: a query for held keys and an INSERT that may find a duplicate. */
final class PortableMarks implements ProcessedMarks {
    private static final String IS_HELD =
            "SELECT 1 FROM inbox_held WHERE consumer_group = ? AND entity_id = ? AND state <> 'GAP'"
                    + " ORDER BY position LIMIT 1";

    private static final String ALL_HELD =
            "SELECT DISTINCT entity_id FROM inbox_held WHERE consumer_group = ? AND state <> 'GAP' AND entity_id = ANY (?)";

    private static final String ALL_MARKED =
            "SELECT event_id FROM processed_events WHERE consumer_group = ? AND event_id = ANY (?)";

    /** Checks for held events first. If the key is not held, only a mark of another consumer can prevent this mark. */
    @Override
    public Admission admit(Connection connection, String group, Event event) {
        return InboxStatement.exists(
                        connection, "mark event " + event.id(), IS_HELD, group, InboxStore.qualifiedKey(event))
                ? Admission.HELD
                : ProcessedMarks.mark(connection, group, event);
    }

    /**
     * Finds held keys and existing marks of all events with one query each. Marks are written one by one, because another consumer may
     * write the same mark at the same time.
     */
    @Override
    public List<Admission> admitAll(Connection connection, String group, List<Event> events) {
        String what = "mark " + events.size() + " events";
        Set<String> held = InboxStatement.query(
                connection,
                what,
                ALL_HELD,
                (dialect, row) -> {
                    Set<String> keys = new HashSet<>();
                    while (row.next()) {
                        keys.add(row.getString(1));
                    }
                    return keys;
                },
                group,
                events.stream().map(InboxStore::qualifiedKey).toList());
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
            if (held.contains(InboxStore.qualifiedKey(event))) {
                admissions.add(Admission.HELD);
            } else {
                admissions.add(
                        marked.add(event.id()) ? ProcessedMarks.mark(connection, group, event) : Admission.DUPLICATE);
            }
        }
        return admissions;
    }
}
