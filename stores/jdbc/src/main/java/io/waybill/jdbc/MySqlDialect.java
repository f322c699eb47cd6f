package io.waybill.jdbc;

/** MySQL 8, which is served as MariaDB is. */
final class MySqlDialect extends MariaDbDialect {
    /** Its tables are MariaDB's, but for the name of the order of texts. */
    @Override
    public Script script(String name) {
        return new Script(super.script(name)
                .text()
                .replace("utf8mb4_nopad_bin", "utf8mb4_0900_bin")
                .replace("MariaDB 10.11", "MySQL 8"));
    }
}
