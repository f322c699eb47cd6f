package io.waybill.spring.test;

import io.waybill.Event;
import io.waybill.spring.PayloadJson;
import java.lang.reflect.Type;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.assertj.core.api.AssertProvider;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The events that were appended since the test began, read from the table: all committed ones, and those of the test's own open
 * transaction. Events that were rolled back are not in it.
 *
 * <pre>{@code
 * assertThat(events).appended("order.placed").forKey("42").withPayload("{\"total\":10}");
 * assertThat(events.ofType("order.placed")).hasSize(1);
 * }</pre>
 */
public final class AppendedEvents implements AssertProvider<AppendedEventsAssert> {
    private static final Type TEXTS = new ParameterizedTypeReference<Map<String, String>>() {}.getType();

    private final JdbcTemplate jdbc;
    private final PayloadJson json;
    private long before;

    AppendedEvents(DataSource dataSource, PayloadJson json) {
        this.jdbc = new JdbcTemplate(dataSource);
        this.json = json;
    }

    /** Returns all events, in the order in which they were appended. */
    public List<Event> all() {
        return jdbc.query("""
                SELECT id, event_type, event_version, aggregate_type, aggregate_id, aggregate_version, topic, headers, payload,
                       occurred_at
                FROM outbox_events WHERE seq > ? ORDER BY seq""", (row, number) -> event(row), before);
    }

    public List<Event> ofType(String type) {
        return all().stream().filter(event -> event.type().equals(type)).toList();
    }

    /** Returns the payload of an event, read as an object. */
    public <T> T payload(Event event, Class<T> type) {
        return type.cast(json.read(event.payload(), type));
    }

    /** Ignores the events that were appended until now; called before each test. */
    public void reset() {
        Long last = jdbc.queryForObject("SELECT coalesce(max(seq), 0) FROM outbox_events", Long.class);
        before = last == null ? 0 : last;
    }

    @Override
    public AppendedEventsAssert assertThat() {
        return new AppendedEventsAssert(this);
    }

    @SuppressWarnings("unchecked") // the table's headers are an object of strings
    private Event event(ResultSet row) throws SQLException {
        Event.Builder event = Event.builder(
                        row.getString("event_type"), row.getString("aggregate_type"), row.getString("aggregate_id"))
                .id(UUID.fromString(row.getString("id")))
                .version(row.getInt("event_version"))
                .payload(row.getString("payload"))
                .occurredAt(row.getObject("occurred_at", OffsetDateTime.class).toInstant());
        long version = row.getLong("aggregate_version");
        if (!row.wasNull()) {
            event.aggregateVersion(version);
        }
        if (row.getString("topic") != null) {
            event.topic(row.getString("topic"));
        }
        if (row.getString("headers") != null) {
            event.headers((Map<String, String>) json.read(row.getString("headers"), TEXTS));
        }
        return event.restore();
    }
}
