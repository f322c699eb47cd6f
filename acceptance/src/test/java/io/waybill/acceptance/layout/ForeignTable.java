package io.waybill.acceptance.layout;

import io.waybill.faults.history.Append;
import io.waybill.faults.history.Written;
import java.sql.PreparedStatement;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Outbox tables that are not Waybill's own, and the inserts of their writers. */
enum ForeignTable {
    /** The table of the quality service. */
    STATUS_COLUMN(
            """
            CREATE TABLE outbox_events (
                id bigserial PRIMARY KEY, event_id uuid NOT NULL UNIQUE, event_type text NOT NULL, payload_json json NOT NULL,
                status text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'PROCESSED', 'FAILED')),
                attempts integer NOT NULL DEFAULT 0, meta_json json, created_at timestamptz NOT NULL DEFAULT now(),
                processed_at timestamptz)""",
            "INSERT INTO outbox_events (event_id, event_type, payload_json, meta_json) VALUES (?id, ?type, ?payload, ?headers)",
            "SELECT event_id FROM outbox_events WHERE status = 'PROCESSED' AND processed_at IS NOT NULL",
            "SELECT event_id FROM outbox_events WHERE status = 'FAILED' AND attempts > 0",
            "UPDATE outbox_events SET status = 'PENDING' WHERE event_id = ?id"),

    /** The table of the saga library. */
    CLAIMED_STATUS(
            """
            CREATE TABLE saga_outbox (
                event_id uuid PRIMARY KEY, saga_id uuid NOT NULL, aggregate_type varchar(255) NOT NULL,
                aggregate_id varchar(255) NOT NULL, event_type varchar(255) NOT NULL, payload json NOT NULL, headers json,
                status varchar(20) NOT NULL DEFAULT 'pending', created_at timestamptz NOT NULL, claimed_at timestamptz,
                sent_at timestamptz, retry_count integer NOT NULL DEFAULT 0, last_error varchar(40), worker_id varchar(255))""",
            "INSERT INTO saga_outbox (event_id, saga_id, aggregate_type, aggregate_id, event_type, payload, headers, created_at)"
                    + " VALUES (?id, gen_random_uuid(), 'Account', ?key, ?type, ?payload, ?headers, clock_timestamp())",
            "SELECT event_id FROM saga_outbox WHERE status = 'sent' AND sent_at IS NOT NULL AND worker_id = 'waybill'"
                    + " AND claimed_at IS NOT NULL",
            "SELECT event_id FROM saga_outbox WHERE status = 'dead_letter' AND last_error <> '' AND retry_count > 0",
            "UPDATE saga_outbox SET status = 'pending' WHERE event_id = ?id"),

    /** The table of the PolyShop services. */
    PROCESSED_FLAG(
            """
            CREATE TABLE outbox_events (
                id uuid PRIMARY KEY, aggregate_id varchar(255) NOT NULL, event_type varchar(255) NOT NULL,
                version integer NOT NULL DEFAULT 1, payload json NOT NULL, created_at timestamp NOT NULL,
                processed boolean NOT NULL DEFAULT false, processed_at timestamp, error_message text)""",
            "INSERT INTO outbox_events (id, aggregate_id, event_type, payload, created_at)"
                    + " VALUES (?id, ?key, ?type, ?payload, clock_timestamp() AT TIME ZONE 'UTC')",
            "SELECT id FROM outbox_events WHERE processed AND processed_at IS NOT NULL AND error_message IS NULL",
            "SELECT id FROM outbox_events WHERE processed AND error_message IS NOT NULL",
            "UPDATE outbox_events SET processed = false WHERE id = ?id"),

    /** The table of the logistics service. Its timestamp is the start of the transaction, so it gets the column that the check recommends. */
    RETRY_COLUMNS(
            """
            CREATE TABLE outbox_events (
                id uuid PRIMARY KEY, aggregate_type varchar(50) NOT NULL, aggregate_id varchar(255) NOT NULL,
                event_type varchar(100) NOT NULL, payload jsonb NOT NULL, occurred_at timestamptz DEFAULT now(),
                status varchar(20) DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'PUBLISHED', 'FAILED')),
                retry_count int DEFAULT 0, next_attempt_at timestamptz DEFAULT now(), last_error text, processed_at timestamptz,
                waybill_seq bigint GENERATED ALWAYS AS IDENTITY (CACHE 1));
            CREATE INDEX idx_outbox_poll ON outbox_events (status, next_attempt_at);
            CREATE INDEX idx_outbox_aggregate ON outbox_events (aggregate_type, aggregate_id)""",
            "INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, payload)"
                    + " VALUES (?id, 'Account', ?key, ?type, ?payload)",
            "SELECT id FROM outbox_events WHERE status = 'PUBLISHED' AND processed_at IS NOT NULL",
            "SELECT id FROM outbox_events WHERE status = 'FAILED' AND last_error <> '' AND retry_count > 0",
            "UPDATE outbox_events SET status = 'PENDING' WHERE id = ?id"),

    /** A table without an order and without states: published rows are deleted, and dead letters are only in Waybill's tables. */
    DEBEZIUM(
            """
            CREATE TABLE outbox (
                id uuid PRIMARY KEY, aggregatetype varchar(255) NOT NULL, aggregateid varchar(255) NOT NULL,
                type varchar(255) NOT NULL, payload jsonb, waybill_seq bigint GENERATED ALWAYS AS IDENTITY (CACHE 1))""",
            "INSERT INTO outbox (id, aggregatetype, aggregateid, type, payload)"
                    + " VALUES (?id, ?type, ?key, 'Changed', ?payload)",
            "SELECT l.event_id::uuid FROM ledger l WHERE NOT EXISTS (SELECT 1 FROM outbox o WHERE o.id = l.event_id::uuid)"
                    + " AND NOT EXISTS (SELECT 1 FROM waybill.outbox_events e WHERE e.id = l.event_id::uuid)",
            "SELECT id FROM waybill.outbox_events WHERE state = 'DEAD_LETTER'",
            "");

    private final String table;
    private final String insert;
    private final String published;
    private final String dead;
    private final String reset;

    ForeignTable(String table, String insert, String published, String dead, String reset) {
        this.table = table;
        this.insert = insert;
        this.published = published;
        this.dead = dead;
        this.reset = reset;
    }

    String layout() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    String table() {
        return table;
    }

    /** Selects the ids of rows that the table shows as published. */
    String published() {
        return published;
    }

    /** Selects the ids of dead letters. */
    String dead() {
        return dead;
    }

    /** The statement that makes a dead letter pending again, or an empty string if the table has no dead letters. */
    String reset(Written event) {
        return fill(reset, event);
    }

    /** Whether the table has a column for headers. */
    boolean headers() {
        return this == STATUS_COLUMN || this == CLAIMED_STATUS;
    }

    /** Whether the database normalises payloads. */
    boolean reprinted() {
        return this == RETRY_COLUMNS || this == DEBEZIUM;
    }

    Append append() {
        return (connection, event, since) -> {
            try (PreparedStatement statement = connection.prepareStatement(fill(insert, event))) {
                statement.executeUpdate();
            }
        };
    }

    /** The quality service has no aggregate. The key is in the payload. */
    private String fill(String sql, Written event) {
        String headers = event.headers().entrySet().stream()
                .map(header -> "\"" + header.getKey() + "\":\"" + header.getValue() + "\"")
                .collect(Collectors.joining(",", "{", "}"));
        String payload =
                this == STATUS_COLUMN ? event.payload().replaceFirst("\\{\"key\":", "{\"nc_id\":") : event.payload();
        return Stream.of(
                        new String[] {"?id", event.id().toString()},
                        new String[] {"?key", event.key()},
                        new String[] {"?type", event.type()},
                        new String[] {"?payload", payload},
                        new String[] {"?headers", headers})
                .reduce(sql, (text, value) -> text.replace(value[0], "'" + value[1] + "'"), (a, b) -> b);
    }
}
