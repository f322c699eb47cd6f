package io.waybill.jdbc.inbox;

import io.waybill.jdbc.PostgresBackend;

/** Inbox and outbox on PostgreSQL. */
final class InboxPostgresBackend extends InboxJdbcBackend {
    InboxPostgresBackend() {
        super(new PostgresBackend(), "bigint GENERATED ALWAYS AS IDENTITY");
    }
}
