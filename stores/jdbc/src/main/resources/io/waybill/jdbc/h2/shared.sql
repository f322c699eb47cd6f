-- Tables that the engines share: lanes with their leases, relays, what operators did and paused, the schema version.
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

-- The actions of operators: one row for each action, and the events that it changed. Rows are only added.
CREATE TABLE IF NOT EXISTS outbox_audit (
    id     bigint       GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at     timestamp(6) with time zone NOT NULL DEFAULT current_timestamp(6),
    actor  varchar(255) NOT NULL,
    action varchar(32)  NOT NULL,
    reason varchar      NOT NULL,
    events integer      NOT NULL,
    -- Unique, so that a repeated request has no effect.
    action_id varchar(64),
    origin varchar(255),
    -- Whether the action was refused and changed nothing.
    refused boolean NOT NULL DEFAULT false,
    -- What the action concerned if not only events: a key, a pause, the id of a corrected event.
    detail varchar,
    CONSTRAINT outbox_audit_action UNIQUE (action_id)
);
CREATE TABLE IF NOT EXISTS outbox_audit_events (
    audit_id bigint   NOT NULL,
    event_id uuid      NOT NULL,
    PRIMARY KEY (event_id, audit_id),
    FOREIGN KEY (audit_id) REFERENCES outbox_audit (id) ON DELETE CASCADE
);

-- What operators have paused. Relays read these rows about twice a second.
CREATE TABLE IF NOT EXISTS outbox_pauses (
    -- RELAY, TOPIC, TYPE or KEY
    scope      varchar(8)   NOT NULL,
    -- The name of a relay or * for all relays; a topic; a type; a key
    target     varchar(255) NOT NULL,
    actor      varchar(255) NOT NULL,
    reason     varchar NOT NULL,
    paused_at  timestamp(6) with time zone NOT NULL DEFAULT current_timestamp(6),
    -- Null: until an operator ends the pause.
    expires_at timestamp(6) with time zone,
    PRIMARY KEY (scope, target)
);

-- Actions on all events that match a filter.
CREATE TABLE IF NOT EXISTS outbox_operations (
    id              uuid NOT NULL PRIMARY KEY,
    -- REPLAY, DISCARD or RETRY
    kind            varchar(8)   NOT NULL,
    -- JSON
    filter          varchar NOT NULL,
    actor           varchar(255) NOT NULL,
    reason          varchar NOT NULL,
    -- DRAFT, CONFIRMED, RUNNING, DONE, CANCELLED or FAILED
    state           varchar(16)  NOT NULL,
    total_events    bigint       NOT NULL,
    done_events     bigint       NOT NULL DEFAULT 0,
    failed_events   bigint       NOT NULL DEFAULT 0,
    skipped_events  bigint       NOT NULL DEFAULT 0,
    arrived_events  bigint       NOT NULL DEFAULT 0,
    rate_per_second integer      NOT NULL,
    -- The operation leaves out events that reached the required state after it was created.
    created_at      timestamp(6) with time zone NOT NULL DEFAULT current_timestamp(6),
    -- The position after the last examined event.
    reached         varchar,
    -- The program that works on the operation, and until when others leave the operation to it.
    runner          varchar(255),
    leased_until    timestamp(6) with time zone,
    -- Not null if the rate is limited: when the next events may be changed.
    next_step_at    timestamp(6) with time zone,
    ended_at        timestamp(6) with time zone,
    error           varchar
);
CREATE TABLE IF NOT EXISTS outbox_operation_results (
    operation_id uuid NOT NULL,
    event_id     uuid NOT NULL,
    -- DONE, FAILED or SKIPPED
    outcome      varchar(8) NOT NULL,
    detail       varchar,
    PRIMARY KEY (operation_id, event_id)
);

CREATE TABLE IF NOT EXISTS waybill_schema (
    component  varchar(64) NOT NULL PRIMARY KEY,
    version    integer     NOT NULL,
    engine     varchar(16) NOT NULL,
    applied_at timestamp(6) with time zone NOT NULL DEFAULT current_timestamp(6)
);
