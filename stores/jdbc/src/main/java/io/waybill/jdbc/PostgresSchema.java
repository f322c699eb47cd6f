package io.waybill.jdbc;

import java.util.List;
import javax.sql.DataSource;

/** Skeleton: the tables as plain SQL. */
public final class PostgresSchema {
    /** Version that this library reads and writes. */
    public static final int VERSION = 1;

    private PostgresSchema() {}

    /** The whole schema as one SQL script, as printed for people and migration tools. */
    public static String sql() {
        throw new UnsupportedOperationException();
    }

    /** Creates what is missing; does nothing when the schema is there in this version. */
    public static void apply(DataSource dataSource) {}

    /** Returns each thing that is wrong, with its remedy; empty when all is well. */
    public static List<String> problems(DataSource dataSource) {
        throw new UnsupportedOperationException();
    }

    /** Throws with all problems when there are any. */
    public static void check(DataSource dataSource) {}
}
