package io.waybill.examples.quality.worker;

import io.waybill.Event;
import io.waybill.spring.EventHeaders;
import io.waybill.spring.TransactionalOutbox;
import jakarta.persistence.EntityManager;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.context.annotation.Profile;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.databind.json.JsonMapper;

/** Appends events to the table of the original service, in the caller's transaction. The worker finds them with its next poll. */
@Component
@Profile("seed-table")
class SeedTableOutbox implements TransactionalOutbox {
    private static final String INSERT = """
            INSERT INTO seed.outbox_events (event_id, event_type, payload_json, meta_json)
            VALUES (?, ?, CAST(? AS jsonb), CAST(? AS jsonb))""";

    private final JdbcClient jdbc;
    private final EntityManager entities;
    private final List<EventHeaders> headers;
    private final JsonMapper json;

    SeedTableOutbox(JdbcClient jdbc, EntityManager entities, List<EventHeaders> headers, JsonMapper json) {
        this.jdbc = jdbc;
        this.entities = entities;
        this.headers = headers;
        this.json = json;
    }

    @Override
    @Transactional(propagation = Propagation.MANDATORY)
    public void append(Collection<Event> events) {
        entities.flush(); // the change takes its locks before its event takes its place in the order
        for (Event event : events) {
            Map<String, String> meta = new TreeMap<>();
            headers.forEach(source -> meta.putAll(source.current()));
            meta.putAll(event.headers());
            jdbc.sql(INSERT)
                    .params(event.id(), event.type(), event.payload(), json.writeValueAsString(meta))
                    .update();
        }
    }
}
