package io.waybill.jdbc.inbox;

import io.waybill.jdbc.DatabaseProduct;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The roles that use the inbox tables, with the least privileges that each role needs. No role can change or delete rows of the audit
 * tables; only their owner can.
 */
public enum InboxRole {
    /** A service that consumes events, or that answers repeated HTTP requests. */
    CONSUMER,
    /** A person who inspects dead letters, and replays or discards them. */
    OPERATOR;

    private static final String READ = "SELECT";
    private static final String ADD = "SELECT, INSERT";
    private static final String ALL = "SELECT, INSERT, UPDATE, DELETE";

    /**
     * Returns the privileges on each table, as a GRANT statement lists them. Row locks need UPDATE. Each role has a privilege on every
     * table, because on MariaDB the check of the schema cannot see a table without privileges.
     */
    public Map<String, String> privileges() {
        Map<String, String> tables = new LinkedHashMap<>();
        switch (this) {
            case CONSUMER -> {
                tables.put("processed_events", ALL);
                tables.put("inbox_held", ALL);
                tables.put("inbox_versions", "SELECT, INSERT, UPDATE");
                tables.put("inbox_dead_letters", ADD);
                tables.put("inbox_effects", ALL);
                tables.put("idempotency_keys", ALL);
                tables.put("inbox_pauses", ALL);
                tables.put("inbox_audit", READ);
                tables.put("inbox_audit_events", READ);
            }
            case OPERATOR -> {
                tables.put("processed_events", "SELECT, UPDATE, DELETE");
                tables.put("inbox_held", "SELECT, INSERT, UPDATE");
                tables.put("inbox_dead_letters", "SELECT, UPDATE, DELETE");
                tables.put("inbox_audit", ADD);
                tables.put("inbox_audit_events", ADD);
                tables.put("inbox_versions", READ);
                tables.put("inbox_effects", READ);
                tables.put("inbox_pauses", READ);
                tables.put("idempotency_keys", "SELECT (expires_at)");
            }
        }
        tables.put("waybill_schema", READ);
        return tables;
    }

    /**
     * Returns the statements that grant the privileges.
     *
     * @param name the database user, quoted as SQL requires
     */
    public List<String> grants(DatabaseProduct product, String name) {
        return product.dialect().grants(privileges(), name);
    }
}
