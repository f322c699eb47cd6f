-- Waybill's tables for MariaDB 10.11 or newer, version 1, queue engine. Plain SQL: apply it with any migration tool.
--
-- A service in any language takes part with one INSERT, inside the transaction that changes its own data:
--   INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, payload)
--   VALUES (uuid(), 'Order', '42', 'order.placed', '{"total": 10}')

CREATE TABLE IF NOT EXISTS outbox_events (
    -- Order within a key. Drawn by the database at INSERT. The table lies in this order, so that a batch of a lane is settled
    -- side by side.
    seq               bigint       NOT NULL AUTO_INCREMENT,
    -- What the writer says.
    id                char(36)     CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL DEFAULT (uuid()),
    aggregate_type    varchar(255) NOT NULL,
    -- Compared byte by byte, blanks at the end included: two spellings are two keys.
    aggregate_id      varchar(255) NOT NULL,
    aggregate_version bigint,
    event_type        varchar(255) NOT NULL,
    event_version     integer      NOT NULL DEFAULT 1,
    topic             varchar(255),
    headers           longtext     CHECK (json_valid(headers)),
    occurred_at       datetime(6)  NOT NULL DEFAULT (utc_timestamp(6)),
    created_at        datetime(6)  NOT NULL DEFAULT (utc_timestamp(6)),

    -- What the relay says: PENDING, CLAIMED, PUBLISHED, PARKED, DEAD_LETTER, DISCARDED. First attempts are claimed in
    -- outbox_claims, a range for each lane, so that success changes a row once. The view outbox_states shows both.
    state             varchar(16)  NOT NULL DEFAULT 'PENDING',
    retry_count       integer      NOT NULL DEFAULT 0,
    crash_count       integer      NOT NULL DEFAULT 0,
    locked_by         varchar(255),
    locked_until      datetime(6),
    -- Null: never failed. A time: tried again then. The last day of 9999: waits for an earlier event of its key, or for a person.
    next_attempt_at   datetime(6),
    -- Null: open. Set when published, discarded, or given up on without blocking its key.
    processed_at      datetime(6),
    dead_at           datetime(6),
    last_error        text,

    -- Text, checked to be JSON: consumers get the text that was written.
    payload           longtext     NOT NULL CHECK (json_valid(payload)),

    -- A share of the keys that one relay owns at a time. md5, because it gives the same lane in every database.
    lane              smallint     GENERATED ALWAYS AS (conv(left(md5(aggregate_id), 2), 16, 10) % 8) STORED,
    -- The key, while this event holds others of it back.
    held_key          varchar(255)
        GENERATED ALWAYS AS (CASE WHEN processed_at IS NULL AND next_attempt_at IS NOT NULL THEN aggregate_id END) STORED,

    PRIMARY KEY (seq),
    UNIQUE KEY outbox_events_id (id),
    -- What a lane claims next, and what it tries again and when: open events stand side by side in it, before all others, so a
    -- claim costs the same whatever the table holds. Retention reads what follows them.
    KEY outbox_events_open (lane, processed_at, next_attempt_at, seq),
    -- Which keys are held back. Publishing leaves this index and the next alone: null before, null after.
    KEY outbox_events_held (held_key, seq),
    KEY outbox_events_dead (dead_at),
    CONSTRAINT outbox_events_named CHECK (aggregate_id <> '' AND event_type <> '')
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- What the owner of a lane has claimed for a first attempt and not settled yet: its open events from low to high. Who works on
-- a lane locks its row here.
CREATE TABLE IF NOT EXISTS outbox_claims (
    lane  smallint NOT NULL PRIMARY KEY,
    low   bigint,
    high  bigint,
    -- How often the claim was changed: who has made it knows it again.
    mark  bigint   NOT NULL DEFAULT 0,
    -- Of the lane, as its last take-over left them; without an owner when it was released.
    owner varchar(255),
    fence bigint   NOT NULL DEFAULT 0
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
INSERT IGNORE INTO outbox_claims (lane) VALUES (0), (1), (2), (3), (4), (5), (6), (7);

-- Every event with its state as people see it.
CREATE OR REPLACE VIEW outbox_states AS
SELECT e.id, e.seq, l.lane, e.aggregate_type, e.aggregate_id, e.event_type,
       CASE WHEN c.lane IS NULL THEN e.state ELSE 'CLAIMED' END AS state,
       e.retry_count, e.next_attempt_at, e.last_error, e.created_at,
       coalesce(e.dead_at, e.processed_at) AS processed_at,
       CASE WHEN c.lane IS NULL THEN e.locked_by ELSE l.owner END AS locked_by,
       CASE WHEN c.lane IS NULL THEN e.locked_until ELSE l.expires_at END AS locked_until
FROM outbox_events e
JOIN outbox_lanes l ON l.lane = e.lane
LEFT JOIN outbox_claims c ON c.lane = l.lane AND e.seq BETWEEN c.low AND c.high
    AND e.processed_at IS NULL AND e.next_attempt_at IS NULL AND l.owner IS NOT NULL AND l.expires_at > utc_timestamp(6);

INSERT INTO waybill_schema (component, version, engine) VALUES ('outbox', 1, 'queue');
