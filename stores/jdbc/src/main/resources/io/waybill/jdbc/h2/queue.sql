-- Waybill's tables for H2 2.5, version 1, queue engine. Plain SQL: apply it with any migration tool.
--
-- A service in any language takes part with one INSERT, inside the transaction that changes its own data:
--   INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, payload)
--   VALUES (random_uuid(), 'Order', '42', 'order.placed', '{"total": 10}')

CREATE TABLE IF NOT EXISTS outbox_events (
    -- Order within a key. Drawn by the database at INSERT.
    seq               bigint       GENERATED ALWAYS AS IDENTITY,
    -- What the writer says.
    id                uuid         NOT NULL DEFAULT random_uuid(),
    aggregate_type    varchar(255) NOT NULL,
    -- Compared byte by byte, blanks at the end included: two spellings are two keys.
    aggregate_id      varchar(255) NOT NULL,
    aggregate_version bigint,
    event_type        varchar(255) NOT NULL,
    event_version     integer      NOT NULL DEFAULT 1,
    topic             varchar(255),
    headers           varchar,
    occurred_at       timestamp(6) with time zone NOT NULL DEFAULT current_timestamp(6),
    created_at        timestamp(6) with time zone NOT NULL DEFAULT current_timestamp(6),

    -- What the relay says: PENDING, CLAIMED, PUBLISHED, PARKED, DEAD_LETTER, DISCARDED. First attempts are claimed in
    -- outbox_claims, a range for each lane, so that success changes a row once. The view outbox_states shows both.
    state             varchar(16)  NOT NULL DEFAULT 'PENDING',
    retry_count       integer      NOT NULL DEFAULT 0,
    crash_count       integer      NOT NULL DEFAULT 0,
    locked_by         varchar(255),
    locked_until      timestamp(6) with time zone,
    -- Null: never failed. A time: tried again then. The last day of 9999: waits for an earlier event of its key, or for a person.
    next_attempt_at   timestamp(6) with time zone,
    -- Null: open. Set when published, discarded, or given up on without blocking its key.
    processed_at      timestamp(6) with time zone,
    dead_at           timestamp(6) with time zone,
    last_error        varchar,

    -- JSON as text: consumers get the text that was written. Not checked, for H2 refuses some that other databases take.
    payload           clob         NOT NULL,

    -- A share of the keys that one relay owns at a time. md5, because it gives the same lane in every database.
    lane              smallint     GENERATED ALWAYS AS (mod(CAST(X'000000' || substring(hash('MD5', stringtoutf8(aggregate_id)) FROM 1 FOR 1) AS integer), 8)),
    -- The key, while this event holds others of it back.
    held_key          varchar(255)
        GENERATED ALWAYS AS (CASE WHEN processed_at IS NULL AND next_attempt_at IS NOT NULL THEN aggregate_id END),

    PRIMARY KEY (seq),
    CONSTRAINT outbox_events_named CHECK (aggregate_id <> '' AND event_type <> '')
);
CREATE UNIQUE INDEX IF NOT EXISTS outbox_events_id ON outbox_events (id);
-- What a lane claims next, and what it tries again and when: open events stand side by side in it, before all others, so a
-- claim costs the same whatever the table holds. Retention reads what follows them.
CREATE INDEX IF NOT EXISTS outbox_events_open ON outbox_events (lane, processed_at, next_attempt_at, seq);
-- Which keys are held back. Publishing leaves this index and the next alone: null before, null after.
CREATE INDEX IF NOT EXISTS outbox_events_held ON outbox_events (held_key, seq);
CREATE INDEX IF NOT EXISTS outbox_events_dead ON outbox_events (dead_at);

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
);
MERGE INTO outbox_claims (lane) KEY (lane) VALUES (0), (1), (2), (3), (4), (5), (6), (7);

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
    AND e.processed_at IS NULL AND e.next_attempt_at IS NULL AND l.owner IS NOT NULL AND l.expires_at > current_timestamp(6);

INSERT INTO waybill_schema (component, version, engine) VALUES ('outbox', 1, 'queue');
