package io.waybill.jdbc;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** How a database keeps its outbox; the tables differ, the INSERT of a writer does not. */
public enum Engine {
    /** An append-only table and a cursor for each lane: {@link PostgresJournal}. */
    JOURNAL,
    /** A row that changes its state for each event: {@link JdbcQueue}. The one that every database has. */
    QUEUE;

    private static final List<String> SHARED =
            List.of("outbox_events", "outbox_lanes", "outbox_relays", "outbox_audit", "outbox_audit_events");

    /** The name in configurations, file names and the table {@code waybill_schema}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    List<String> tables() {
        return Stream.of(SHARED, own(), views()).flatMap(List::stream).toList();
    }

    /** What only this engine has. */
    public List<String> own() {
        return this == JOURNAL ? List.of("outbox_cursors", "outbox_held") : List.of("outbox_claims");
    }

    public List<String> views() {
        return this == JOURNAL ? List.of("outbox_waiting", "outbox_states") : List.of("outbox_states");
    }

    public Engine other() {
        return this == JOURNAL ? QUEUE : JOURNAL;
    }

    static Optional<Engine> of(String label) {
        return Stream.of(values())
                .filter(engine -> engine.label().equals(label))
                .findFirst();
    }
}
