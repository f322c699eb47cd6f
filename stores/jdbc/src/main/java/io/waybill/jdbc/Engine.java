package io.waybill.jdbc;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The way in which a database stores its outbox. The tables differ, but services write events with the same INSERT. */
public enum Engine {
    /** An append-only table and a cursor for each lane: {@link PostgresJournal}. */
    JOURNAL,
    /** A row with a state for each event: {@link JdbcQueue}. Every database supports this engine. */
    QUEUE;

    private static final List<String> SHARED = List.of(
            "outbox_events",
            "outbox_lanes",
            "outbox_relays",
            "outbox_audit",
            "outbox_audit_events",
            "outbox_pauses",
            "outbox_operations",
            "outbox_operation_results");

    /** Returns the name in configurations, file names and the table {@code waybill_schema}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns all tables and views of an outbox with this engine. */
    public List<String> tables() {
        return Stream.of(SHARED, own(), views()).flatMap(List::stream).toList();
    }

    /** Returns the tables that only this engine has. */
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
