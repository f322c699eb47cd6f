-- Waybill's inbox for PostgreSQL 13 or newer, version 1. Plain SQL: apply it with any migration tool, beside the tables of
-- the outbox or without them.

-- The decisions of each consumer group, so that a redelivered message has no effect. Rows are kept for the group's
-- retention period.
CREATE TABLE processed_events (
    consumer_group varchar(255) NOT NULL,
    event_id       uuid         NOT NULL,
    event_type     text         NOT NULL,
    source         text,
    entity_id      text         NOT NULL,
    entity_version bigint,
    -- PROCESSED, STALE (a later version came first), DEAD_LETTERED (waits for an operator), DISCARDED (by an operator)
    outcome        varchar(16)  NOT NULL DEFAULT 'PROCESSED',
    processed_at   timestamptz  NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT processed_events_pk PRIMARY KEY (consumer_group, event_id)
);
-- Finds the rows that retention removes, and the time of a group's last decision.
CREATE INDEX processed_events_age ON processed_events (consumer_group, processed_at)
    WHERE outcome <> 'DEAD_LETTERED';

-- Events that are held in the inbox, so that the broker's offset can advance.
CREATE TABLE inbox_held (
    consumer_group  varchar(255) NOT NULL,
    event_id        uuid         NOT NULL,
    -- The order within an entity.
    position        bigint       GENERATED ALWAYS AS IDENTITY (CACHE 1),
    -- RETRY: failed, will be retried. PARKED: behind an earlier event of its entity. GAP: waits for the previous version of
    -- its entity.
    state           varchar(8)   NOT NULL,
    entity_id       text         NOT NULL,
    entity_version  bigint,
    event_type      text         NOT NULL,
    attempts        integer      NOT NULL DEFAULT 0,
    -- Infinity: parked behind earlier events.
    next_attempt_at timestamptz  NOT NULL,
    -- When next_attempt_at was set; null while parked. A time in the future means that the clock was set back.
    scheduled_at    timestamptz,
    patience_ends   timestamptz,
    locked_until    timestamptz,
    last_error      text,
    held_at         timestamptz  NOT NULL DEFAULT clock_timestamp(),
    -- The message as received.
    topic           text         NOT NULL,
    topic_partition integer      NOT NULL,
    topic_offset    bigint       NOT NULL,
    message_key     text,
    headers         json         NOT NULL,
    value           bytea        NOT NULL,
    CONSTRAINT inbox_held_pk PRIMARY KEY (consumer_group, event_id)
);
CREATE INDEX inbox_held_due ON inbox_held (consumer_group, next_attempt_at) WHERE next_attempt_at < 'infinity';
CREATE INDEX inbox_held_scheduled ON inbox_held (consumer_group, scheduled_at) WHERE scheduled_at IS NOT NULL;
CREATE INDEX inbox_held_entity ON inbox_held (consumer_group, entity_id, position);

-- The last version of each entity that a group has processed, if its version guard is enabled.
CREATE TABLE inbox_versions (
    consumer_group varchar(255) NOT NULL,
    entity_id      text         NOT NULL,
    version        bigint       NOT NULL,
    CONSTRAINT inbox_versions_pk PRIMARY KEY (consumer_group, entity_id)
) WITH (fillfactor = 80);

-- The dead letters of each group. They stay until an operator replays or discards them.
CREATE TABLE inbox_dead_letters (
    consumer_group  varchar(255) NOT NULL,
    event_id        uuid         NOT NULL,
    event_type      text         NOT NULL,
    entity_id       text         NOT NULL,
    attempts        integer      NOT NULL,
    error_class     text         NOT NULL,
    error           text         NOT NULL,
    failed_at       timestamptz  NOT NULL,
    topic           text         NOT NULL,
    topic_partition integer      NOT NULL,
    topic_offset    bigint       NOT NULL,
    message_key     text,
    headers         json         NOT NULL,
    value           bytea        NOT NULL,
    CONSTRAINT inbox_dead_letters_pk PRIMARY KEY (consumer_group, event_id)
);
CREATE INDEX inbox_dead_letters_age ON inbox_dead_letters (failed_at);

-- The actions of operators: one row for each action, and the events that it changed.
CREATE TABLE inbox_audit (
    id             bigint       GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at             timestamptz  NOT NULL DEFAULT clock_timestamp(),
    actor          varchar(255) NOT NULL,
    action         varchar(32)  NOT NULL,
    reason         text         NOT NULL,
    consumer_group varchar(255) NOT NULL,
    events         integer      NOT NULL
);
CREATE TABLE inbox_audit_events (
    audit_id bigint NOT NULL REFERENCES inbox_audit (id) ON DELETE CASCADE,
    event_id uuid   NOT NULL,
    PRIMARY KEY (event_id, audit_id)
);

-- Consumers that are paused because every event failed. A row is valid until it expires.
CREATE TABLE inbox_pauses (
    consumer_group varchar(255) NOT NULL,
    consumer       varchar(64)  NOT NULL,
    paused_since   timestamptz  NOT NULL,
    reason         text         NOT NULL,
    expires_at     timestamptz  NOT NULL,
    CONSTRAINT inbox_pauses_pk PRIMARY KEY (consumer_group, consumer)
);

-- Completed side effects outside the database.
CREATE TABLE inbox_effects (
    consumer_group varchar(255) NOT NULL,
    effect_key     text         NOT NULL,
    done_at        timestamptz  NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT inbox_effects_pk PRIMARY KEY (consumer_group, effect_key)
);
CREATE INDEX inbox_effects_age ON inbox_effects (consumer_group, done_at);

-- HTTP requests with an idempotency key: answered, or in progress while the status is null.
CREATE TABLE idempotency_keys (
    scope        varchar(255) NOT NULL,
    key          varchar(255) NOT NULL,
    request_hash text         NOT NULL,
    owner        uuid         NOT NULL,
    locked_until timestamptz  NOT NULL,
    expires_at   timestamptz  NOT NULL,
    status       integer,
    body         text,
    CONSTRAINT idempotency_keys_pk PRIMARY KEY (scope, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (expires_at);

CREATE TABLE IF NOT EXISTS waybill_schema (
    component  varchar(64) PRIMARY KEY,
    version    integer     NOT NULL,
    engine     varchar(16) NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO waybill_schema (component, version, engine) VALUES ('inbox', 1, 'inbox');
