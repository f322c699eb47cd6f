-- Tables that the engines share: lanes with their leases, relays, the audit of operators, the schema version.
-- This database commits each CREATE at once. After an interruption, run the script again. All times are UTC.

CREATE TABLE IF NOT EXISTS outbox_lanes (
    lane       smallint     NOT NULL PRIMARY KEY,
    owner      varchar(255),
    fence      bigint       NOT NULL DEFAULT 0,
    expires_at datetime(6)  NOT NULL DEFAULT (utc_timestamp(6))
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_0900_bin;
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
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_0900_bin;

-- The actions of operators: one row for each action, and the events that it changed.
CREATE TABLE IF NOT EXISTS outbox_audit (
    id     bigint       NOT NULL AUTO_INCREMENT PRIMARY KEY,
    at     datetime(6)  NOT NULL DEFAULT (utc_timestamp(6)),
    actor  varchar(255) NOT NULL,
    action varchar(32)  NOT NULL,
    reason text         NOT NULL,
    events integer      NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_0900_bin;
CREATE TABLE IF NOT EXISTS outbox_audit_events (
    audit_id bigint   NOT NULL,
    event_id char(36) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
    PRIMARY KEY (event_id, audit_id),
    FOREIGN KEY (audit_id) REFERENCES outbox_audit (id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_0900_bin;

CREATE TABLE IF NOT EXISTS waybill_schema (
    component  varchar(64) NOT NULL PRIMARY KEY,
    version    integer     NOT NULL,
    engine     varchar(16) NOT NULL,
    applied_at datetime(6) NOT NULL DEFAULT (utc_timestamp(6))
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_0900_bin;
