-- Waybill's sagas for H2 2.5, version 1. Plain SQL: apply it with any migration tool, beside the tables of the
-- outbox and of the inbox. After an interruption, run the script again.

-- The executions of sagas. Every transaction that changes a saga locks its row first.
CREATE TABLE IF NOT EXISTS sagas (
    id           uuid         NOT NULL,
    name         varchar(100) NOT NULL,
    -- The version of the definition.
    version      integer      NOT NULL,
    business_key varchar(255) NOT NULL,
    -- PENDING, EXECUTING, COMPENSATING, FORWARD_RECOVERY, FAILED, COMPLETED, ROLLED_BACK, PARTIALLY_COMMITTED
    status       varchar(24)  NOT NULL,
    -- The saga's data, as JSON.
    data         clob         NOT NULL,
    -- The states of the steps, as JSON.
    state        clob         NOT NULL,
    headers      varchar      NOT NULL,
    parent_id    uuid,
    parent_step  varchar(100),
    error        varchar,
    -- The names of the steps that wait for a person, separated by commas.
    stuck        varchar      NOT NULL,
    -- When the engine has something to do; null if the saga only waits for an event or a person.
    wake_at      timestamp(6) with time zone,
    -- Set after an unexpected failure of the engine.
    rest_until   timestamp(6) with time zone,
    created_at   timestamp(6) with time zone NOT NULL,
    updated_at   timestamp(6) with time zone NOT NULL,
    -- Null while steps or compensations can still run.
    ended_at     timestamp(6) with time zone,
    -- Grows with every change.
    revision     bigint       NOT NULL,
    PRIMARY KEY (id),
    CONSTRAINT sagas_key UNIQUE (name, business_key)
);
-- Finds due sagas, whatever the number of ended or waiting ones.
CREATE INDEX IF NOT EXISTS sagas_due ON sagas (name, version, wake_at);
-- The order in which operators see sagas.
CREATE INDEX IF NOT EXISTS sagas_created ON sagas (created_at, id);
-- Finds the sagas that retention removes, and counts the others.
CREATE INDEX IF NOT EXISTS sagas_ended ON sagas (ended_at, name, status);

-- What happened to each saga. Rows are only added, and are removed together with the saga.
CREATE TABLE IF NOT EXISTS saga_history (
    saga_id  uuid         NOT NULL,
    -- The revision of the saga that this change made.
    revision bigint       NOT NULL,
    -- The order within the change.
    position integer      NOT NULL,
    kind     varchar(32)  NOT NULL,
    step     varchar(100),
    attempt  integer      NOT NULL,
    detail   clob,
    at       timestamp(6) with time zone NOT NULL,
    PRIMARY KEY (saga_id, revision, position)
);

-- Messages for the engine that next works on a saga: requests of operators, ended children. They are written without the lock of
-- the saga, and deleted when they are applied.
CREATE TABLE IF NOT EXISTS saga_signals (
    saga_id   uuid         NOT NULL,
    id        bigint       GENERATED ALWAYS AS IDENTITY,
    saga_name varchar(100) NOT NULL,
    kind      varchar(16)  NOT NULL,
    step      varchar(100),
    detail    clob,
    actor     varchar(255),
    reason    varchar,
    posted_at timestamp(6) with time zone NOT NULL DEFAULT current_timestamp(6),
    PRIMARY KEY (saga_id, id)
);
CREATE INDEX IF NOT EXISTS saga_signals_posted ON saga_signals (saga_name, posted_at);

-- The steps of each definition, as JSON, so that programs without the definition can show its sagas.
CREATE TABLE IF NOT EXISTS saga_definitions (
    name          varchar(100) NOT NULL,
    version       integer      NOT NULL,
    outline       clob         NOT NULL,
    registered_at timestamp(6) with time zone NOT NULL DEFAULT current_timestamp(6),
    PRIMARY KEY (name, version)
);

-- The commands that participants have executed, so that a repeated command has no effect.
CREATE TABLE IF NOT EXISTS saga_commands (
    consumer_group varchar(255) NOT NULL,
    command_id     uuid         NOT NULL,
    -- DONE, REFUSED, COMPENSATED (executed and undone), TOMBSTONE (the compensation came first)
    state          varchar(16)  NOT NULL,
    reply_type     varchar,
    reply_key      varchar,
    reply_payload  clob,
    decided_at     timestamp(6) with time zone NOT NULL DEFAULT current_timestamp(6),
    PRIMARY KEY (consumer_group, command_id)
);
-- Finds the rows that retention removes.
CREATE INDEX IF NOT EXISTS saga_commands_age ON saga_commands (decided_at, consumer_group);

-- The requests of operators. Rows stay when the saga is removed.
CREATE TABLE IF NOT EXISTS saga_audit (
    id           bigint       GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at           timestamp(6) with time zone NOT NULL DEFAULT current_timestamp(6),
    actor        varchar(255) NOT NULL,
    action       varchar(16)  NOT NULL,
    reason       varchar      NOT NULL,
    saga_id      uuid         NOT NULL,
    saga_name    varchar(100) NOT NULL,
    business_key varchar(255) NOT NULL,
    step         varchar(100)
);
CREATE INDEX IF NOT EXISTS saga_audit_saga ON saga_audit (saga_id);

CREATE TABLE IF NOT EXISTS waybill_schema (
    component  varchar(64) PRIMARY KEY,
    version    integer     NOT NULL,
    engine     varchar(16) NOT NULL,
    applied_at timestamp(6) with time zone NOT NULL DEFAULT current_timestamp(6)
);
INSERT INTO waybill_schema (component, version, engine) VALUES ('saga', 1, 'saga');
