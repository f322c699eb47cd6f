package io.waybill.jdbc.inbox;

import io.waybill.jdbc.DatabaseProduct;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Who uses the inbox's tables, and the least that the database must let them do. Neither role may change or delete what is in the
 * audit tables; only their owner can.
 */
public enum InboxRole {
    /** A service that consumes events, and that may answer repeated HTTP requests. */
    CONSUMER,
    /** A person who looks at dead letters, and replays or discards them. */
    OPERATOR;

    private static final String READ = "SELECT";
    private static final String ADD = "SELECT, INSERT";
    private static final String ALL = "SELECT, INSERT, UPDATE, DELETE";

    /**
     * The privileges of each table, as they stand in a GRANT. Row locks take UPDATE. There is one for every table, because the
     * check of the schema does not see a table without privileges on MariaDB.
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
     * The statements that let a role do this part.
     *
     * @param name as SQL writes it
     */
    public List<String> grants(DatabaseProduct product, String name) {
        return product.dialect().grants(privileges(), name);
    }
}
