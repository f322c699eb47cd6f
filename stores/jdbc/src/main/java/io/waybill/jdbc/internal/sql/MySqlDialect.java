package io.waybill.jdbc.internal.sql;

import java.sql.Connection;
import java.time.Duration;

/** MySQL 8, which is served as MariaDB is. */
public final class MySqlDialect extends MariaDbDialect {
    /** MySQL has no such limit; only the wait for locks can be set, which a pool does. */
    @Override
    public Limits limit(Connection connection, Duration patience) {
        return Limits.NONE;
    }

    @Override
    public Limits limitSilence(Connection connection, Duration patience) {
        return Limits.NONE;
    }

    /** The tables of MariaDB, with another name of the binary collation. */
    @Override
    public SqlScript script(String name) {
        return new SqlScript(super.script(name)
                .text()
                .replace("utf8mb4_nopad_bin", "utf8mb4_0900_bin")
                .replace("MariaDB 10.11", "MySQL 8"));
    }
}
