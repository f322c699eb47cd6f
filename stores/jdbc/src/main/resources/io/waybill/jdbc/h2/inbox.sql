-- Waybill's inbox for H2 2.5, version 1. Plain SQL: apply it with any migration tool, beside the tables of the
-- outbox or without them. After an interruption, run the script again.

-- The decisions of each consumer group, so that a redelivered message has no effect. Rows are kept for the group's
-- retention period.
CREATE TABLE IF NOT EXISTS processed_events (
    consumer_group varchar(255) NOT NULL,
    event_id       uuid          NOT NULL,
    event_type     varchar      NOT NULL,
    source         varchar,
    entity_id      varchar      NOT NULL,
    entity_version bigint,
    -- PROCESSED, STALE (a later version came first), DEAD_LETTERED (waits for an operator), DISCARDED (by an operator)
    outcome        varchar(16)  NOT NULL DEFAULT 'PROCESSED',
    processed_at   timestamp(6) with time zone NOT NULL DEFAULT current_timestamp(6),
    PRIMARY KEY (consumer_group, event_id)
);
-- Finds the rows that retention removes, and the time of a group's last decision.
CREATE INDEX IF NOT EXISTS processed_events_age ON processed_events (consumer_group, processed_at);

-- Events that are held in the inbox, so that the broker's offset can advance.
CREATE TABLE IF NOT EXISTS inbox_held (
    consumer_group  varchar(255) NOT NULL,
    event_id        uuid          NOT NULL,
    -- The order within an entity.
    position        bigint       GENERATED ALWAYS AS IDENTITY,
    -- RETRY: failed, will be retried. PARKED: behind an earlier event of its entity. GAP: waits for the previous version of
    -- its entity.
    state           varchar(8)   NOT NULL,
    entity_id       varchar(511) NOT NULL,
    entity_version  bigint,
    event_type      varchar      NOT NULL,
    attempts        integer      NOT NULL DEFAULT 0,
    -- The last day of 9999: parked behind earlier events.
    next_attempt_at timestamp(6) with time zone NOT NULL,
    -- When next_attempt_at was set; null while parked. A time in the future means that the clock was set back.
    scheduled_at    timestamp(6) with time zone,
    patience_ends   timestamp(6) with time zone,
    locked_until    timestamp(6) with time zone,
    last_error      varchar,
    held_at         timestamp(6) with time zone NOT NULL DEFAULT current_timestamp(6),
    -- The message as received.
    topic           varchar      NOT NULL,
    topic_partition integer      NOT NULL,
    topic_offset    bigint       NOT NULL,
    message_key     varchar,
    headers         varchar      NOT NULL,
    "value"         blob          NOT NULL,
    PRIMARY KEY (consumer_group, event_id)
);
CREATE UNIQUE INDEX IF NOT EXISTS inbox_held_position ON inbox_held (position);
CREATE INDEX IF NOT EXISTS inbox_held_due ON inbox_held (consumer_group, next_attempt_at);
CREATE INDEX IF NOT EXISTS inbox_held_scheduled ON inbox_held (consumer_group, scheduled_at);
CREATE INDEX IF NOT EXISTS inbox_held_entity ON inbox_held (consumer_group, entity_id, position);

-- The last version of each entity that a group has processed, if its version guard is enabled.
CREATE TABLE IF NOT EXISTS inbox_versions (
    consumer_group varchar(255) NOT NULL,
    entity_id      varchar(511) NOT NULL,
    version        bigint       NOT NULL,
    PRIMARY KEY (consumer_group, entity_id)
);

-- The dead letters of each group. They stay until an operator replays or discards them.
CREATE TABLE IF NOT EXISTS inbox_dead_letters (
    consumer_group  varchar(255) NOT NULL,
    event_id        uuid          NOT NULL,
    event_type      varchar      NOT NULL,
    entity_id       varchar(511) NOT NULL,
    attempts        integer      NOT NULL,
    error_class     varchar      NOT NULL,
    error           varchar      NOT NULL,
    failed_at       timestamp(6) with time zone NOT NULL,
    topic           varchar      NOT NULL,
    topic_partition integer      NOT NULL,
    topic_offset    bigint       NOT NULL,
    message_key     varchar,
    headers         varchar      NOT NULL,
    "value"         blob          NOT NULL,
    PRIMARY KEY (consumer_group, event_id)
);
CREATE INDEX IF NOT EXISTS inbox_dead_letters_age ON inbox_dead_letters (failed_at);

-- The actions of operators: one row for each action, and the events that it changed.
CREATE TABLE IF NOT EXISTS inbox_audit (
    id             bigint       GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at             timestamp(6) with time zone NOT NULL DEFAULT current_timestamp(6),
    actor          varchar(255) NOT NULL,
    action         varchar(32)  NOT NULL,
    reason         varchar      NOT NULL,
    consumer_group varchar(255) NOT NULL,
    events         integer      NOT NULL
);
CREATE TABLE IF NOT EXISTS inbox_audit_events (
    audit_id bigint   NOT NULL,
    event_id uuid      NOT NULL,
    PRIMARY KEY (event_id, audit_id),
    FOREIGN KEY (audit_id) REFERENCES inbox_audit (id) ON DELETE CASCADE
);

-- Consumers that are paused because every event failed. A row is valid until it expires.
CREATE TABLE IF NOT EXISTS inbox_pauses (
    consumer_group varchar(255) NOT NULL,
    consumer       varchar(64)  NOT NULL,
    paused_since   timestamp(6) with time zone NOT NULL,
    reason         varchar      NOT NULL,
    expires_at     timestamp(6) with time zone NOT NULL,
    PRIMARY KEY (consumer_group, consumer)
);

-- Completed side effects outside the database.
CREATE TABLE IF NOT EXISTS inbox_effects (
    consumer_group varchar(255) NOT NULL,
    effect_key     varchar(512) NOT NULL,
    done_at        timestamp(6) with time zone NOT NULL DEFAULT current_timestamp(6),
    PRIMARY KEY (consumer_group, effect_key)
);
CREATE INDEX IF NOT EXISTS inbox_effects_age ON inbox_effects (consumer_group, done_at);

-- HTTP requests with an idempotency key: answered, or in progress while the status is null.
CREATE TABLE IF NOT EXISTS idempotency_keys (
    scope        varchar(255) NOT NULL,
    "key"        varchar(255) NOT NULL,
    request_hash varchar      NOT NULL,
    owner        uuid          NOT NULL,
    locked_until timestamp(6) with time zone NOT NULL,
    expires_at   timestamp(6) with time zone NOT NULL,
    status       integer,
    body         clob,
    PRIMARY KEY (scope, "key")
);
CREATE INDEX IF NOT EXISTS idempotency_keys_age ON idempotency_keys (expires_at);

CREATE TABLE IF NOT EXISTS waybill_schema (
    component  varchar(64) NOT NULL PRIMARY KEY,
    version    integer     NOT NULL,
    engine     varchar(16) NOT NULL,
    applied_at timestamp(6) with time zone NOT NULL DEFAULT current_timestamp(6)
);
INSERT INTO waybill_schema (component, version, engine) VALUES ('inbox', 1, 'inbox');
