-- Tables that the engines share: lanes with their leases, relays, the audit of operators, the schema version.
-- This database commits each CREATE at once. After an interruption, run the script again.

CREATE TABLE IF NOT EXISTS outbox_lanes (
    lane       smallint     NOT NULL PRIMARY KEY,
    owner      varchar(255),
    fence      bigint       NOT NULL DEFAULT 0,
    expires_at timestamp(6) with time zone NOT NULL DEFAULT current_timestamp(6)
);
MERGE INTO outbox_lanes (lane) KEY (lane) VALUES (0), (1), (2), (3), (4), (5), (6), (7);

CREATE TABLE IF NOT EXISTS outbox_relays (
    name                 varchar(255) NOT NULL PRIMARY KEY,
    place                varchar(255) NOT NULL,
    version              varchar(64)  NOT NULL,
    started_at           timestamp(6) with time zone NOT NULL DEFAULT current_timestamp(6),
    heartbeat_at         timestamp(6) with time zone NOT NULL DEFAULT current_timestamp(6),
    expires_at           timestamp(6) with time zone NOT NULL,
    published_total      bigint       NOT NULL DEFAULT 0,
    published_per_second double precision NOT NULL DEFAULT 0,
    -- Whether the relay reaches its broker. A relay that does not reach it gives up its lanes while another relay does.
    serving              boolean      NOT NULL DEFAULT true
);

-- The actions of operators: one row for each action, and the events that it changed.
CREATE TABLE IF NOT EXISTS outbox_audit (
    id     bigint       GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at     timestamp(6) with time zone NOT NULL DEFAULT current_timestamp(6),
    actor  varchar(255) NOT NULL,
    action varchar(32)  NOT NULL,
    reason varchar      NOT NULL,
    events integer      NOT NULL
);
CREATE TABLE IF NOT EXISTS outbox_audit_events (
    audit_id bigint   NOT NULL,
    event_id uuid      NOT NULL,
    PRIMARY KEY (event_id, audit_id),
    FOREIGN KEY (audit_id) REFERENCES outbox_audit (id) ON DELETE CASCADE
);

CREATE TABLE IF NOT EXISTS waybill_schema (
    component  varchar(64) NOT NULL PRIMARY KEY,
    version    integer     NOT NULL,
    engine     varchar(16) NOT NULL,
    applied_at timestamp(6) with time zone NOT NULL DEFAULT current_timestamp(6)
);
