-- Waybill's sagas for PostgreSQL 13 or newer, version 1. Plain SQL: apply it with any migration tool, beside the tables of
-- the outbox and of the inbox.

-- The executions of sagas. Every transaction that changes a saga locks its row first.
CREATE TABLE sagas (
    id           uuid         NOT NULL,
    name         varchar(100) NOT NULL,
    -- The version of the definition.
    version      integer      NOT NULL,
    business_key varchar(255) NOT NULL,
    -- PENDING, EXECUTING, COMPENSATING, FORWARD_RECOVERY, FAILED, COMPLETED, ROLLED_BACK, PARTIALLY_COMMITTED
    status       varchar(24)  NOT NULL,
    -- The saga's data, as JSON.
    data         text         NOT NULL,
    -- The states of the steps, as JSON.
    state        text         NOT NULL,
    headers      json         NOT NULL,
    parent_id    uuid,
    parent_step  varchar(100),
    error        text,
    -- The names of the steps that wait for a person, separated by commas.
    stuck        text         NOT NULL,
    -- When the engine has something to do; null if the saga only waits for an event or a person.
    wake_at      timestamptz,
    -- Set after an unexpected failure of the engine.
    rest_until   timestamptz,
    created_at   timestamptz  NOT NULL,
    updated_at   timestamptz  NOT NULL,
    -- Null while steps or compensations can still run.
    ended_at     timestamptz,
    -- Grows with every change.
    revision     bigint       NOT NULL,
    CONSTRAINT sagas_pk PRIMARY KEY (id),
    CONSTRAINT sagas_key UNIQUE (name, business_key)
);
-- Finds due sagas, whatever the number of ended or waiting ones.
CREATE INDEX sagas_due ON sagas (name, version, wake_at) WHERE wake_at IS NOT NULL;
-- The order in which operators see sagas.
CREATE INDEX sagas_created ON sagas (created_at, id);
-- Counts the sagas that have not ended.
CREATE INDEX sagas_open ON sagas (name, status) WHERE ended_at IS NULL;
-- Finds the sagas that retention removes, and counts the ended ones.
CREATE INDEX sagas_ended ON sagas (ended_at, name, status) WHERE ended_at IS NOT NULL;

-- What happened to each saga. Rows are only added, and are removed together with the saga.
CREATE TABLE saga_history (
    saga_id  uuid         NOT NULL,
    -- The revision of the saga that this change made.
    revision bigint       NOT NULL,
    -- The order within the change.
    position integer      NOT NULL,
    kind     varchar(32)  NOT NULL,
    step     varchar(100),
    attempt  integer      NOT NULL,
    detail   text,
    at       timestamptz  NOT NULL,
    CONSTRAINT saga_history_pk PRIMARY KEY (saga_id, revision, position)
);

-- Messages for the engine that next works on a saga: requests of operators, ended children. They are written without the lock of
-- the saga, and deleted when they are applied.
CREATE TABLE saga_signals (
    saga_id   uuid         NOT NULL,
    id        bigint       GENERATED ALWAYS AS IDENTITY (CACHE 1),
    saga_name varchar(100) NOT NULL,
    kind      varchar(16)  NOT NULL,
    step      varchar(100),
    detail    text,
    actor     varchar(255),
    reason    text,
    posted_at timestamptz  NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT saga_signals_pk PRIMARY KEY (saga_id, id)
);
CREATE INDEX saga_signals_posted ON saga_signals (saga_name, posted_at);

-- The steps of each definition, as JSON, so that programs without the definition can show its sagas.
CREATE TABLE saga_definitions (
    name          varchar(100) NOT NULL,
    version       integer      NOT NULL,
    outline       text         NOT NULL,
    registered_at timestamptz  NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT saga_definitions_pk PRIMARY KEY (name, version)
);

-- The commands that participants have executed, so that a repeated command has no effect.
CREATE TABLE saga_commands (
    consumer_group varchar(255) NOT NULL,
    command_id     uuid         NOT NULL,
    -- DONE, REFUSED, COMPENSATED (executed and undone), TOMBSTONE (the compensation came first)
    state          varchar(16)  NOT NULL,
    reply_type     text,
    reply_key      text,
    reply_payload  text,
    decided_at     timestamptz  NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT saga_commands_pk PRIMARY KEY (consumer_group, command_id)
);
-- Finds the rows that retention removes. The group comes second, so that no planner takes this index to look for one command.
CREATE INDEX saga_commands_age ON saga_commands (decided_at, consumer_group);

-- The requests of operators. Rows stay when the saga is removed.
CREATE TABLE saga_audit (
    id           bigint       GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at           timestamptz  NOT NULL DEFAULT clock_timestamp(),
    actor        varchar(255) NOT NULL,
    action       varchar(16)  NOT NULL,
    reason       text         NOT NULL,
    saga_id      uuid         NOT NULL,
    saga_name    varchar(100) NOT NULL,
    business_key varchar(255) NOT NULL,
    step         varchar(100)
);
CREATE INDEX saga_audit_saga ON saga_audit (saga_id);

CREATE TABLE IF NOT EXISTS waybill_schema (
    component  varchar(64) PRIMARY KEY,
    version    integer     NOT NULL,
    engine     varchar(16) NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO waybill_schema (component, version, engine) VALUES ('saga', 1, 'saga');
