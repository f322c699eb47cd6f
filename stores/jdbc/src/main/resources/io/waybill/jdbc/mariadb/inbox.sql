-- Waybill's inbox for MariaDB 10.11 or newer, version 1. Plain SQL: apply it with any migration tool, beside the tables of the
-- outbox or without them. Can be run again where it was interrupted. All times are UTC.

-- What each consumer group has decided, so that a redelivery changes nothing. Kept for the group's retention.
CREATE TABLE IF NOT EXISTS processed_events (
    consumer_group varchar(255) NOT NULL,
    event_id       char(36)     CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
    event_type     text         NOT NULL,
    source         text,
    entity_id      text         NOT NULL,
    entity_version bigint,
    -- PROCESSED, STALE (a later version was seen before), DEAD_LETTERED (waits for a person), DISCARDED (by a person)
    outcome        varchar(16)  NOT NULL DEFAULT 'PROCESSED',
    processed_at   datetime(6)  NOT NULL DEFAULT (utc_timestamp(6)),
    PRIMARY KEY (consumer_group, event_id),
    -- What retention removes, and when a group was last at work.
    KEY processed_events_age (consumer_group, processed_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- Events that wait in the inbox, so that the broker's offset can move on.
CREATE TABLE IF NOT EXISTS inbox_held (
    consumer_group  varchar(255) NOT NULL,
    event_id        char(36)     CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
    -- Order within an entity.
    position        bigint       NOT NULL AUTO_INCREMENT,
    -- RETRY: failed, tried again. PARKED: behind an earlier one of its entity. GAP: until the version before it has come.
    state           varchar(8)   NOT NULL,
    entity_id       varchar(511) NOT NULL,
    entity_version  bigint,
    event_type      text         NOT NULL,
    attempts        integer      NOT NULL DEFAULT 0,
    -- The last day of 9999: parked with others before it.
    next_attempt_at datetime(6)  NOT NULL,
    patience_ends   datetime(6),
    locked_until    datetime(6),
    last_error      text,
    held_at         datetime(6)  NOT NULL DEFAULT (utc_timestamp(6)),
    -- The message as it was received.
    topic           text         NOT NULL,
    topic_partition integer      NOT NULL,
    topic_offset    bigint       NOT NULL,
    message_key     text,
    headers         longtext     NOT NULL,
    value           longblob     NOT NULL,
    PRIMARY KEY (consumer_group, event_id),
    UNIQUE KEY inbox_held_position (position),
    KEY inbox_held_due (consumer_group, next_attempt_at),
    KEY inbox_held_entity (consumer_group, entity_id, position)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- The last version of each entity that a group has seen, when its version guard is on.
CREATE TABLE IF NOT EXISTS inbox_versions (
    consumer_group varchar(255) NOT NULL,
    entity_id      varchar(511) NOT NULL,
    version        bigint       NOT NULL,
    PRIMARY KEY (consumer_group, entity_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- Events that a group has given up on. They stay until a person replays or discards them.
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

-- What operators did: one row for each action, and the events it changed.
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

-- Consumers that are paused because everything they tried has failed. A row counts until it expires.
CREATE TABLE IF NOT EXISTS inbox_pauses (
    consumer_group varchar(255) NOT NULL,
    consumer       varchar(64)  NOT NULL,
    paused_since   datetime(6)  NOT NULL,
    reason         text         NOT NULL,
    expires_at     datetime(6)  NOT NULL,
    PRIMARY KEY (consumer_group, consumer)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- Side effects outside of any transaction that were carried out.
CREATE TABLE IF NOT EXISTS inbox_effects (
    consumer_group varchar(255) NOT NULL,
    effect_key     varchar(512) NOT NULL,
    done_at        datetime(6)  NOT NULL DEFAULT (utc_timestamp(6)),
    PRIMARY KEY (consumer_group, effect_key),
    KEY inbox_effects_age (consumer_group, done_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- HTTP requests that were answered, or are being worked on (no status yet).
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
