package io.waybill.jdbc;

/** Inboxes beside an outbox on PostgreSQL. */
final class InboxPostgresBackend extends InboxJdbcBackend {
    InboxPostgresBackend() {
        super(new PostgresBackend(), "bigint GENERATED ALWAYS AS IDENTITY");
    }
}
