-- Tables that the engines share: lanes with their leases, relays, what operators did and paused, the schema version.
-- This database commits each CREATE at once. After an interruption, run the script again. All times are UTC.

CREATE TABLE IF NOT EXISTS outbox_lanes (
    lane       smallint     NOT NULL PRIMARY KEY,
    owner      varchar(255),
    fence      bigint       NOT NULL DEFAULT 0,
    expires_at datetime(6)  NOT NULL DEFAULT (utc_timestamp(6))
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
INSERT IGNORE INTO outbox_lanes (lane) VALUES (0), (1), (2), (3), (4), (5), (6), (7);

CREATE TABLE IF NOT EXISTS outbox_relays (
    name                 varchar(255) NOT NULL PRIMARY KEY,
    place                varchar(255) NOT NULL,
    version              varchar(64)  NOT NULL,
    started_at           datetime(6)  NOT NULL DEFAULT (utc_timestamp(6)),
    heartbeat_at         datetime(6)  NOT NULL DEFAULT (utc_timestamp(6)),
    expires_at           datetime(6)  NOT NULL,
    published_total      bigint       NOT NULL DEFAULT 0,
    published_per_second double       NOT NULL DEFAULT 0,
    -- Whether the relay reaches its broker. A relay that does not reach it gives up its lanes while another relay does.
    serving              boolean      NOT NULL DEFAULT true
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- The actions of operators: one row for each action, and the events that it changed. Rows are only added.
CREATE TABLE IF NOT EXISTS outbox_audit (
    id     bigint       NOT NULL AUTO_INCREMENT PRIMARY KEY,
    at     datetime(6)  NOT NULL DEFAULT (utc_timestamp(6)),
    actor  varchar(255) NOT NULL,
    action varchar(32)  NOT NULL,
    reason text         NOT NULL,
    events integer      NOT NULL,
    -- Unique, so that a repeated request has no effect.
    action_id varchar(64),
    origin varchar(255),
    -- Whether the action was refused and changed nothing.
    refused boolean NOT NULL DEFAULT false,
    -- What the action concerned if not only events: a key, a pause, the id of a corrected event.
    detail text,
    CONSTRAINT outbox_audit_action UNIQUE (action_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE TABLE IF NOT EXISTS outbox_audit_events (
    audit_id bigint   NOT NULL,
    event_id char(36) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
    PRIMARY KEY (event_id, audit_id),
    FOREIGN KEY (audit_id) REFERENCES outbox_audit (id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- What operators have paused. Relays read these rows about twice a second.
CREATE TABLE IF NOT EXISTS outbox_pauses (
    -- RELAY, TOPIC, TYPE or KEY
    scope      varchar(8)   NOT NULL,
    -- The name of a relay or * for all relays; a topic; a type; a key
    target     varchar(255) NOT NULL,
    actor      varchar(255) NOT NULL,
    reason     text NOT NULL,
    paused_at  datetime(6) NOT NULL DEFAULT (utc_timestamp(6)),
    -- Null: until an operator ends the pause.
    expires_at datetime(6),
    PRIMARY KEY (scope, target)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- Actions on all events that match a filter.
CREATE TABLE IF NOT EXISTS outbox_operations (
    id              char(36) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL PRIMARY KEY,
    -- REPLAY, DISCARD or RETRY
    kind            varchar(8)   NOT NULL,
    -- JSON
    filter          text NOT NULL,
    actor           varchar(255) NOT NULL,
    reason          text NOT NULL,
    -- DRAFT, CONFIRMED, RUNNING, DONE, CANCELLED or FAILED
    state           varchar(16)  NOT NULL,
    total_events    bigint       NOT NULL,
    done_events     bigint       NOT NULL DEFAULT 0,
    failed_events   bigint       NOT NULL DEFAULT 0,
    skipped_events  bigint       NOT NULL DEFAULT 0,
    arrived_events  bigint       NOT NULL DEFAULT 0,
    rate_per_second integer      NOT NULL,
    -- The operation leaves out events that reached the required state after it was created.
    created_at      datetime(6) NOT NULL DEFAULT (utc_timestamp(6)),
    -- The position after the last examined event.
    reached         text,
    -- The program that works on the operation, and until when others leave the operation to it.
    runner          varchar(255),
    leased_until    datetime(6),
    -- Not null if the rate is limited: when the next events may be changed.
    next_step_at    datetime(6),
    ended_at        datetime(6),
    error           text
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE TABLE IF NOT EXISTS outbox_operation_results (
    operation_id char(36) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
    event_id     char(36) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
    -- DONE, FAILED or SKIPPED
    outcome      varchar(8) NOT NULL,
    detail       text,
    PRIMARY KEY (operation_id, event_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS waybill_schema (
    component  varchar(64) NOT NULL PRIMARY KEY,
    version    integer     NOT NULL,
    engine     varchar(16) NOT NULL,
    applied_at datetime(6) NOT NULL DEFAULT (utc_timestamp(6))
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
