-- Waybill's tables for H2 2.5, version 1, queue engine. Plain SQL: apply it with any migration tool.
--
-- A service in any language appends an event with one INSERT, in the transaction that changes its own data:
--   INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, payload)
--   VALUES (random_uuid(), 'Order', '42', 'order.placed', '{"total": 10}')

CREATE TABLE IF NOT EXISTS outbox_events (
    -- The order within a key. The database draws the number at INSERT.
    seq               bigint       GENERATED ALWAYS AS IDENTITY,
    -- Written by the writer.
    id                uuid         NOT NULL DEFAULT random_uuid(),
    aggregate_type    varchar(255) NOT NULL,
    -- Compared byte by byte, including trailing blanks: two spellings are two keys.
    aggregate_id      varchar(255) NOT NULL,
    aggregate_version bigint,
    event_type        varchar(255) NOT NULL,
    event_version     integer      NOT NULL DEFAULT 1,
    topic             varchar(255),
    headers           varchar,
    occurred_at       timestamp(6) with time zone NOT NULL DEFAULT current_timestamp(6),
    created_at        timestamp(6) with time zone NOT NULL DEFAULT current_timestamp(6),

    -- Written by the relay: PENDING, CLAIMED, PUBLISHED, PARKED, DEAD_LETTER or DISCARDED. First attempts are claimed in
    -- outbox_claims, as a range for each lane, so that a successful event is updated only once. The view outbox_states
    -- combines both.
    state             varchar(16)  NOT NULL DEFAULT 'PENDING',
    retry_count       integer      NOT NULL DEFAULT 0,
    crash_count       integer      NOT NULL DEFAULT 0,
    locked_by         varchar(255),
    locked_until      timestamp(6) with time zone,
    -- Null: never failed. A time: the next attempt. The last day of 9999: waits for an earlier event of its key, or for an
    -- operator.
    next_attempt_at   timestamp(6) with time zone,
    -- Null while the event is open. Set when it is published, discarded, or becomes a dead letter that does not block its
    -- key.
    processed_at      timestamp(6) with time zone,
    dead_at           timestamp(6) with time zone,
    last_error        varchar,

    -- JSON as text, so that consumers get the text that was written. Not validated, because H2 rejects some JSON that other
    -- databases accept.
    payload           clob         NOT NULL,

    -- The lane: a share of the keys, owned by one relay at a time. md5 gives the same lane in every version of H2.
    lane              smallint     GENERATED ALWAYS AS (mod(CAST(X'000000' || substring(hash('MD5', stringtoutf8(aggregate_id)) FROM 1 FOR 1) AS integer), 8)),
    -- The key, while this event holds back later events of it; otherwise null.
    held_key          varchar(255)
        GENERATED ALWAYS AS (CASE WHEN processed_at IS NULL AND next_attempt_at IS NOT NULL THEN aggregate_id END),

    PRIMARY KEY (seq),
    CONSTRAINT outbox_events_named CHECK (aggregate_id <> '' AND event_type <> '')
);
CREATE UNIQUE INDEX IF NOT EXISTS outbox_events_id ON outbox_events (id);
-- The next events of a lane to claim, and its retries by due time. Open events lie side by side, before all others, so the
-- cost of a claim does not grow with the table. Retention reads the events that follow.
CREATE INDEX IF NOT EXISTS outbox_events_open ON outbox_events (lane, processed_at, next_attempt_at, seq);
-- The keys that are held back. Publishing does not change this index or the next one: the columns are null before and after.
CREATE INDEX IF NOT EXISTS outbox_events_held ON outbox_events (held_key, seq);
CREATE INDEX IF NOT EXISTS outbox_events_dead ON outbox_events (dead_at);

-- The open claim of each lane: the owner of the lane has claimed its open events from low to high for a first attempt. Each
-- transaction that works on a lane locks its row in this table.
CREATE TABLE IF NOT EXISTS outbox_claims (
    lane  smallint NOT NULL PRIMARY KEY,
    low   bigint,
    high  bigint,
    -- Counts the changes of the claim. A store recognises its own claim by this number.
    mark  bigint   NOT NULL DEFAULT 0,
    -- Owner and fence of the lane, as written by its last takeover. The owner is null after a release.
    owner varchar(255),
    fence bigint   NOT NULL DEFAULT 0
);
MERGE INTO outbox_claims (lane) KEY (lane) VALUES (0), (1), (2), (3), (4), (5), (6), (7);

-- Every event with its state, for operators.
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
