-- Waybill's sagas for MariaDB 10.11 or newer, version 1. Plain SQL: apply it with any migration tool, beside the tables of
-- the outbox and of the inbox. After an interruption, run the script again. All times are UTC.

-- The executions of sagas. Every transaction that changes a saga locks its row first.
CREATE TABLE IF NOT EXISTS sagas (
    id           char(36)     CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
    name         varchar(100) NOT NULL,
    -- The version of the definition.
    version      integer      NOT NULL,
    business_key varchar(255) NOT NULL,
    -- PENDING, EXECUTING, COMPENSATING, FORWARD_RECOVERY, FAILED, COMPLETED, ROLLED_BACK, PARTIALLY_COMMITTED
    status       varchar(24)  NOT NULL,
    -- The saga's data, as JSON.
    data         longtext     NOT NULL,
    -- The states of the steps, as JSON.
    state        longtext     NOT NULL,
    headers      longtext     NOT NULL,
    parent_id    char(36)     CHARACTER SET ascii COLLATE ascii_general_ci,
    parent_step  varchar(100),
    error        text,
    -- The names of the steps that wait for a person, separated by commas.
    stuck        text         NOT NULL,
    -- When the engine has something to do; null if the saga only waits for an event or a person.
    wake_at      datetime(6),
    -- Set after an unexpected failure of the engine.
    rest_until   datetime(6),
    created_at   datetime(6)  NOT NULL,
    updated_at   datetime(6)  NOT NULL,
    -- Null while steps or compensations can still run.
    ended_at     datetime(6),
    -- Grows with every change.
    revision     bigint       NOT NULL,
    PRIMARY KEY (id),
    UNIQUE KEY sagas_key (name, business_key),
    -- Finds due sagas, whatever the number of ended or waiting ones.
    KEY sagas_due (name, version, wake_at),
    -- The order in which operators see sagas.
    KEY sagas_created (created_at, id),
    -- Finds the sagas that retention removes, and counts the others.
    KEY sagas_ended (ended_at, name, status)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- What happened to each saga. Rows are only added, and are removed together with the saga.
CREATE TABLE IF NOT EXISTS saga_history (
    saga_id  char(36)     CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
    -- The revision of the saga that this change made.
    revision bigint       NOT NULL,
    -- The order within the change.
    position integer      NOT NULL,
    kind     varchar(32)  NOT NULL,
    step     varchar(100),
    attempt  integer      NOT NULL,
    detail   longtext,
    at       datetime(6)  NOT NULL,
    PRIMARY KEY (saga_id, revision, position)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- Messages for the engine that next works on a saga: requests of operators, ended children. They are written without the lock of
-- the saga, and deleted when they are applied.
CREATE TABLE IF NOT EXISTS saga_signals (
    saga_id   char(36)     CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
    id        bigint       NOT NULL AUTO_INCREMENT,
    saga_name varchar(100) NOT NULL,
    kind      varchar(16)  NOT NULL,
    step      varchar(100),
    detail    longtext,
    actor     varchar(255),
    reason    text,
    posted_at datetime(6)  NOT NULL DEFAULT (utc_timestamp(6)),
    PRIMARY KEY (saga_id, id),
    UNIQUE KEY saga_signals_id (id),
    KEY saga_signals_posted (saga_name, posted_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- The steps of each definition, as JSON, so that programs without the definition can show its sagas.
CREATE TABLE IF NOT EXISTS saga_definitions (
    name          varchar(100) NOT NULL,
    version       integer      NOT NULL,
    outline       longtext     NOT NULL,
    registered_at datetime(6)  NOT NULL DEFAULT (utc_timestamp(6)),
    PRIMARY KEY (name, version)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- The commands that participants have executed, so that a repeated command has no effect.
CREATE TABLE IF NOT EXISTS saga_commands (
    consumer_group varchar(255) NOT NULL,
    command_id     char(36)     CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
    -- DONE, REFUSED, COMPENSATED (executed and undone), TOMBSTONE (the compensation came first)
    state          varchar(16)  NOT NULL,
    reply_type     text,
    reply_key      text,
    reply_payload  longtext,
    decided_at     datetime(6)  NOT NULL DEFAULT (utc_timestamp(6)),
    PRIMARY KEY (consumer_group, command_id),
    -- Finds the rows that retention removes.
    KEY saga_commands_age (decided_at, consumer_group)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- The requests of operators. Rows stay when the saga is removed.
CREATE TABLE IF NOT EXISTS saga_audit (
    id           bigint       NOT NULL AUTO_INCREMENT PRIMARY KEY,
    at           datetime(6)  NOT NULL DEFAULT (utc_timestamp(6)),
    actor        varchar(255) NOT NULL,
    action       varchar(16)  NOT NULL,
    reason       text         NOT NULL,
    saga_id      char(36)     CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
    saga_name    varchar(100) NOT NULL,
    business_key varchar(255) NOT NULL,
    step         varchar(100),
    KEY saga_audit_saga (saga_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS waybill_schema (
    component  varchar(64) NOT NULL PRIMARY KEY,
    version    integer     NOT NULL,
    engine     varchar(16) NOT NULL,
    applied_at datetime(6) NOT NULL DEFAULT (utc_timestamp(6))
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
INSERT INTO waybill_schema (component, version, engine) VALUES ('saga', 1, 'saga');
