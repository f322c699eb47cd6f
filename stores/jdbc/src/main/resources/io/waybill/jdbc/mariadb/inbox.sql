-- Waybill's inbox for MariaDB 10.11 or newer, version 1. Plain SQL: apply it with any migration tool, beside the tables of
-- the outbox or without them. After an interruption, run the script again. All times are UTC.

-- The decisions of each consumer group, so that a redelivered message has no effect. Rows are kept for the group's
-- retention period.
CREATE TABLE IF NOT EXISTS processed_events (
    consumer_group varchar(255) NOT NULL,
    event_id       char(36)     CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
    event_type     text         NOT NULL,
    source         text,
    entity_id      text         NOT NULL,
    entity_version bigint,
    -- PROCESSED, STALE (a later version came first), DEAD_LETTERED (waits for an operator), DISCARDED (by an operator)
    outcome        varchar(16)  NOT NULL DEFAULT 'PROCESSED',
    processed_at   datetime(6)  NOT NULL DEFAULT (utc_timestamp(6)),
    PRIMARY KEY (consumer_group, event_id),
    -- Finds the rows that retention removes, and the time of a group's last decision.
    KEY processed_events_age (consumer_group, processed_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- Events that are held in the inbox, so that the broker's offset can advance.
CREATE TABLE IF NOT EXISTS inbox_held (
    consumer_group  varchar(255) NOT NULL,
    event_id        char(36)     CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
    -- The order within an entity.
    position        bigint       NOT NULL AUTO_INCREMENT,
    -- RETRY: failed, will be retried. PARKED: behind an earlier event of its entity. GAP: waits for the previous version of
    -- its entity.
    state           varchar(8)   NOT NULL,
    entity_id       varchar(511) NOT NULL,
    entity_version  bigint,
    event_type      text         NOT NULL,
    attempts        integer      NOT NULL DEFAULT 0,
    -- The last day of 9999: parked behind earlier events.
    next_attempt_at datetime(6)  NOT NULL,
    -- When next_attempt_at was set; null while parked. A time in the future means that the clock was set back.
    scheduled_at    datetime(6),
    patience_ends   datetime(6),
    locked_until    datetime(6),
    last_error      text,
    held_at         datetime(6)  NOT NULL DEFAULT (utc_timestamp(6)),
    -- The message as received.
    topic           text         NOT NULL,
    topic_partition integer      NOT NULL,
    topic_offset    bigint       NOT NULL,
    message_key     text,
    headers         longtext     NOT NULL,
    value           longblob     NOT NULL,
    PRIMARY KEY (consumer_group, event_id),
    UNIQUE KEY inbox_held_position (position),
    KEY inbox_held_due (consumer_group, next_attempt_at),
    KEY inbox_held_scheduled (consumer_group, scheduled_at),
    KEY inbox_held_entity (consumer_group, entity_id, position)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- The last version of each entity that a group has processed, if its version guard is enabled.
CREATE TABLE IF NOT EXISTS inbox_versions (
    consumer_group varchar(255) NOT NULL,
    entity_id      varchar(511) NOT NULL,
    version        bigint       NOT NULL,
    PRIMARY KEY (consumer_group, entity_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- The dead letters of each group. They stay until an operator replays or discards them.
CREATE TABLE IF NOT EXISTS inbox_dead_letters (
    consumer_group  varchar(255) NOT NULL,
    event_id        char(36)     CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
    event_type      text         NOT NULL,
    entity_id       varchar(511) NOT NULL,
    attempts        integer      NOT NULL,
    error_class     text         NOT NULL,
    error           text         NOT NULL,
    failed_at       datetime(6)  NOT NULL,
    topic           text         NOT NULL,
    topic_partition integer      NOT NULL,
    topic_offset    bigint       NOT NULL,
    message_key     text,
    headers         longtext     NOT NULL,
    value           longblob     NOT NULL,
    PRIMARY KEY (consumer_group, event_id),
    KEY inbox_dead_letters_age (failed_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- The actions of operators: one row for each action, and the events that it changed.
CREATE TABLE IF NOT EXISTS inbox_audit (
    id             bigint       NOT NULL AUTO_INCREMENT PRIMARY KEY,
    at             datetime(6)  NOT NULL DEFAULT (utc_timestamp(6)),
    actor          varchar(255) NOT NULL,
    action         varchar(32)  NOT NULL,
    reason         text         NOT NULL,
    consumer_group varchar(255) NOT NULL,
    events         integer      NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE TABLE IF NOT EXISTS inbox_audit_events (
    audit_id bigint   NOT NULL,
    event_id char(36) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
    PRIMARY KEY (event_id, audit_id),
    FOREIGN KEY (audit_id) REFERENCES inbox_audit (id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- Consumers that are paused because every event failed. A row is valid until it expires.
CREATE TABLE IF NOT EXISTS inbox_pauses (
    consumer_group varchar(255) NOT NULL,
    consumer       varchar(64)  NOT NULL,
    paused_since   datetime(6)  NOT NULL,
    reason         text         NOT NULL,
    expires_at     datetime(6)  NOT NULL,
    PRIMARY KEY (consumer_group, consumer)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- Completed side effects outside the database.
CREATE TABLE IF NOT EXISTS inbox_effects (
    consumer_group varchar(255) NOT NULL,
    effect_key     varchar(512) NOT NULL,
    done_at        datetime(6)  NOT NULL DEFAULT (utc_timestamp(6)),
    PRIMARY KEY (consumer_group, effect_key),
    KEY inbox_effects_age (consumer_group, done_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- HTTP requests with an idempotency key: answered, or in progress while the status is null.
CREATE TABLE IF NOT EXISTS idempotency_keys (
    scope        varchar(255) NOT NULL,
    `key`        varchar(255) NOT NULL,
    request_hash text         NOT NULL,
    owner        char(36)     CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
    locked_until datetime(6)  NOT NULL,
    expires_at   datetime(6)  NOT NULL,
    status       integer,
    body         longtext,
    PRIMARY KEY (scope, `key`),
    KEY idempotency_keys_age (expires_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS waybill_schema (
    component  varchar(64) NOT NULL PRIMARY KEY,
    version    integer     NOT NULL,
    engine     varchar(16) NOT NULL,
    applied_at datetime(6) NOT NULL DEFAULT (utc_timestamp(6))
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
INSERT INTO waybill_schema (component, version, engine) VALUES ('inbox', 1, 'inbox');
