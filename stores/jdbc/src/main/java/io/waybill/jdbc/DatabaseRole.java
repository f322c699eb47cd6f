package io.waybill.jdbc;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The roles that use the outbox tables, with the least privileges that each role needs. */
public enum DatabaseRole {
    /** A service that appends events. */
    WRITER,
    RELAY,
    /** A person or a console that inspects and repairs events. This role can add audit rows, but neither change nor remove them. */
    OPERATOR;

    private static final String READ = "SELECT";
    private static final String CHANGE = "SELECT, UPDATE";
    private static final String ALL = "SELECT, INSERT, UPDATE, DELETE";

    /** Returns the privileges on each table, view or sequence, as a GRANT statement lists them. */
    public Map<String, String> privileges(Engine engine) {
        Map<String, String> tables = new LinkedHashMap<>();
        switch (this) {
            case WRITER -> tables.put("outbox_events", "INSERT");
            case RELAY -> {
                relay(engine, tables);
                tables.put("outbox_lanes", CHANGE);
                tables.put("outbox_relays", ALL);
                tables.put("outbox_states", READ);
                tables.put("outbox_audit", READ);
                tables.put("outbox_audit_events", READ);
                tables.put("outbox_pauses", READ);
                tables.put("outbox_operations", READ);
                tables.put("outbox_operation_results", READ);
                tables.put("waybill_schema", READ);
            }
            case OPERATOR -> {
                operator(engine, tables);
                tables.put("outbox_relays", READ);
                tables.put("outbox_states", READ);
                tables.put("outbox_audit", "SELECT, INSERT");
                tables.put("outbox_audit_events", "SELECT, INSERT");
                tables.put("outbox_pauses", ALL);
                tables.put("outbox_operations", "SELECT, INSERT, UPDATE");
                tables.put("outbox_operation_results", "SELECT, INSERT");
                tables.put("waybill_schema", READ);
            }
        }
        return tables;
    }

    private static void relay(Engine engine, Map<String, String> tables) {
        if (engine == Engine.JOURNAL) {
            tables.put("outbox_events", "SELECT, DELETE");
            tables.put("outbox_events_seq_seq", READ);
            tables.put("outbox_cursors", CHANGE);
            tables.put("outbox_held", ALL);
            tables.put("outbox_waiting", READ);
        } else {
            tables.put("outbox_events", "SELECT, UPDATE, DELETE");
            tables.put("outbox_claims", CHANGE);
        }
    }

    /** A repair briefly locks the claims or the cursors of lanes, which needs UPDATE. */
    private static void operator(Engine engine, Map<String, String> tables) {
        if (engine == Engine.JOURNAL) {
            tables.put("outbox_events", READ);
            tables.put("outbox_cursors", CHANGE);
            tables.put("outbox_held", CHANGE);
            tables.put("outbox_events_seq_seq", READ);
            tables.put("outbox_waiting", READ);
            tables.put("outbox_lanes", READ);
        } else {
            tables.put("outbox_events", CHANGE);
            tables.put("outbox_claims", CHANGE);
            tables.put("outbox_lanes", READ);
        }
    }

    /** As {@link #privileges(Engine)}, for this database. */
    public Map<String, String> privileges(DatabaseProduct product, Engine engine) {
        return privileges(engine);
    }

    /**
     * Returns the statements that grant the privileges on PostgreSQL.
     *
     * @param name the database user, quoted as SQL requires
     */
    public List<String> grants(Engine engine, String name) {
        return grants(DatabaseProduct.defaultProduct(), engine, name);
    }

    /** As {@link #grants(Engine, String)}, for this database. */
    public List<String> grants(DatabaseProduct product, Engine engine, String name) {
        return product.dialect().grants(privileges(product, engine), name);
    }
}
