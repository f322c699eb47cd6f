-- The outbox as the original service had it. It is used instead of Waybill's own tables with the profile seed-table.
CREATE SCHEMA seed;
CREATE TABLE seed.outbox_events (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event_id     uuid        NOT NULL UNIQUE,
    event_type   varchar(64) NOT NULL,
    payload_json jsonb       NOT NULL,
    status       varchar(16) NOT NULL DEFAULT 'PENDING'
        CHECK (status IN ('PENDING', 'PROCESSING', 'PROCESSED', 'FAILED')),
    attempts     integer     NOT NULL DEFAULT 0,
    meta_json    jsonb,
    locked_by    varchar(64),
    locked_at    timestamptz,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    processed_at timestamptz
);
CREATE INDEX outbox_events_waiting ON seed.outbox_events (id) WHERE status IN ('PENDING', 'PROCESSING');
