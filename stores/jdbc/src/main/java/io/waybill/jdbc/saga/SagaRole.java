package io.waybill.jdbc.saga;

import io.waybill.jdbc.DatabaseProduct;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The roles that use the tables of sagas, with the least privileges that each role needs. No role can change or delete rows of the
 * audit table; only its owner can.
 */
public enum SagaRole {
    /** A service that starts sagas and runs a saga engine. It also needs the privileges of a consumer and of a writer of events. */
    ENGINE,
    /** A service that executes commands. It also needs the privileges of a consumer and of a writer of events. */
    PARTICIPANT,
    /** A person who inspects sagas, and requests actions. */
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
            case ENGINE -> {
                tables.put("sagas", ALL);
                tables.put("saga_history", "SELECT, INSERT, DELETE");
                tables.put("saga_signals", "SELECT, INSERT, DELETE");
                tables.put("saga_definitions", ADD);
                tables.put("saga_commands", READ);
                tables.put("saga_audit", READ);
            }
            case PARTICIPANT -> {
                tables.put("saga_commands", ALL);
                tables.put("sagas", "SELECT (id)");
                tables.put("saga_history", "SELECT (saga_id)");
                tables.put("saga_signals", "SELECT (saga_id)");
                tables.put("saga_definitions", READ);
                tables.put("saga_audit", "SELECT (saga_id)");
            }
            case OPERATOR -> {
                tables.put("sagas", READ);
                tables.put("saga_history", READ);
                tables.put("saga_signals", ADD);
                tables.put("saga_definitions", READ);
                tables.put("saga_commands", READ);
                tables.put("saga_audit", ADD);
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
