package io.waybill.jdbc;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Who uses the tables, and the least that the database must let them do. */
public enum DatabaseRole {
    /** A service: appends events, and may do nothing else. */
    WRITER,
    RELAY,
    /** A person who looks at events, and replays or discards dead letters. */
    OPERATOR;

    private static final String READ = "SELECT";
    private static final String CHANGE = "SELECT, UPDATE";
    private static final String ALL = "SELECT, INSERT, UPDATE, DELETE";

    /** The privileges of each table, view or sequence, as they stand in a GRANT. */
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
                tables.put("waybill_schema", READ);
            }
            case OPERATOR -> {
                operator(engine, tables);
                tables.put("outbox_relays", READ);
                tables.put("outbox_states", READ);
                tables.put("outbox_audit", "SELECT, INSERT");
                tables.put("outbox_audit_events", "SELECT, INSERT");
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

    /** A repair locks the lanes' claims, or their cursors, for a moment: that takes UPDATE. */
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

    /** {@link #privileges(Engine)} on this database. */
    public Map<String, String> privileges(DatabaseProduct product, Engine engine) {
        return privileges(engine);
    }

    /**
     * The statements that let a role do this part, on {@linkplain DatabaseProduct#usual PostgreSQL}.
     *
     * @param name as SQL writes it
     */
    public List<String> grants(Engine engine, String name) {
        return grants(DatabaseProduct.usual(), engine, name);
    }

    /** {@link #grants(Engine, String)} on this database. */
    public List<String> grants(DatabaseProduct product, Engine engine, String name) {
        return product.dialect().grants(privileges(product, engine), name);
    }
}
