package io.waybill.jdbc.internal.sql;

/** The types for parameters whose type a database cannot infer. */
public enum SqlType {
    TEXT("text", "varchar"),
    INTEGER("integer", "integer"),
    BIGINT("bigint", "bigint"),
    DOUBLE("double precision", "double precision"),
    UUID("uuid", "uuid"),
    JSON("json", "varchar"),
    BYTES("bytea", "varbinary");

    final String postgres;
    final String h2;

    SqlType(String postgres, String h2) {
        this.postgres = postgres;
        this.h2 = h2;
    }
}
