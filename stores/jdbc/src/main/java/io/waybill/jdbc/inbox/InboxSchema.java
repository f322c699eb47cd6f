package io.waybill.jdbc.inbox;

import io.waybill.jdbc.DatabaseProduct;
import io.waybill.jdbc.internal.sql.ComponentSchema;
import java.util.List;
import javax.sql.DataSource;

/** Creates and checks the inbox tables. Their definition is plain SQL that you can read and apply yourself. */
public final class InboxSchema {
    /** The version that this library reads and writes. */
    public static final int VERSION = 1;

    static final ComponentSchema SCHEMA = new ComponentSchema(
            "inbox",
            "the inbox",
            "waybill inbox schema",
            VERSION,
            List.of(
                    "processed_events",
                    "inbox_held",
                    "inbox_versions",
                    "inbox_dead_letters",
                    "inbox_audit",
                    "inbox_audit_events",
                    "inbox_pauses",
                    "inbox_effects",
                    "idempotency_keys"));

    private InboxSchema() {}

    /** Returns the SQL script that creates the tables on PostgreSQL. */
    public static String sql() {
        return sql(DatabaseProduct.defaultProduct());
    }

    /** Returns the SQL script that creates the tables. */
    public static String sql(DatabaseProduct product) {
        return SCHEMA.sql(product);
    }

    /**
     * Creates the tables unless they exist in this version. On PostgreSQL, this is one transaction. On other databases, an interrupted
     * call leaves some tables behind, and the next call creates the missing ones.
     *
     * @return whether any table was created
     */
    public static boolean apply(DataSource dataSource) {
        return SCHEMA.apply(dataSource);
    }

    /** Returns the problems of the tables, each with its remedy. */
    public static List<String> problems(DataSource dataSource) {
        return SCHEMA.problems(dataSource);
    }

    /** Throws an exception that lists all {@link #problems}, if there are any. */
    public static void check(DataSource dataSource) {
        SCHEMA.check(dataSource);
    }
}
