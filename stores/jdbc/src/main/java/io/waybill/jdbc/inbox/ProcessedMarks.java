package io.waybill.jdbc.inbox;

import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.InboxStore.Admission;
import io.waybill.internal.StorableText;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.PerDialect;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** The marks of the events that a group has processed. The consumer that writes the mark first may apply the event. */
interface ProcessedMarks {
    String INSERT =
            "INSERT INTO processed_events (consumer_group, event_id, event_type, source, entity_id, entity_version)";

    PerDialect<ProcessedMarks> MARKS = new PerDialect<>(
            dialect -> new PostgresMarks(), dialect -> new PortableMarks(), dialect -> new PortableMarks());

    static ProcessedMarks on(Connection connection) {
        try {
            return MARKS.of(Dialect.of(connection));
        } catch (SQLException e) {
            throw new StoreException("Cannot mark events: " + e.getMessage(), e);
        }
    }

    /** Marks the event unless its key is held. */
    Admission admit(Connection connection, String group, Event event);

    /** As {@link #admit}, for several events. Returns the admissions in the order of the events. */
    List<Admission> admitAll(Connection connection, String group, List<Event> events);

    /** Marks the event even if its key is held. Returns ADMITTED or DUPLICATE. */
    static Admission mark(Connection connection, String group, Event event) {
        boolean first = InboxStatement.insert(
                connection,
                "mark event " + event.id(),
                INSERT + " VALUES (?, ?, ?, ?, ?, ?)",
                group,
                event.id(),
                event.type(),
                source(event),
                InboxStore.qualifiedKey(event),
                JdbcInboxStore.version(event));
        return first ? Admission.ADMITTED : Admission.DUPLICATE;
    }

    static String source(Event event) {
        return StorableText.sanitize(event.headers().getOrDefault(Headers.SOURCE, ""), 255);
    }
}
