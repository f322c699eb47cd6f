-- Waybill's tables for PostgreSQL 13 or newer, version 1, queue engine. Plain SQL: apply it with any migration tool.
--
-- A service in any language takes part with one INSERT, inside the transaction that changes its own data:
--   INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, payload)
--   VALUES (gen_random_uuid(), 'Order', '42', 'order.placed', '{"total": 10}');

CREATE TABLE outbox_events (
    -- What the writer says.
    id                uuid         NOT NULL DEFAULT gen_random_uuid(),
    -- Order within a key. Drawn by the database at INSERT, never ahead of it: hence no cache and no value from outside.
    seq               bigint       GENERATED ALWAYS AS IDENTITY (CACHE 1),
    aggregate_type    varchar(255) NOT NULL,
    aggregate_id      varchar(255) NOT NULL,
    aggregate_version bigint,
    event_type        varchar(255) NOT NULL,
    event_version     integer      NOT NULL DEFAULT 1,
    topic             varchar(255),
    headers           json,
    occurred_at       timestamptz  NOT NULL DEFAULT now(),
    created_at        timestamptz  NOT NULL DEFAULT clock_timestamp(),

    -- What the relay says: PENDING, CLAIMED, PUBLISHED, PARKED, DEAD_LETTER, DISCARDED. First attempts are claimed in
    -- outbox_claims, a range for each lane, so that success changes a row once; the view outbox_states shows both.
    state             varchar(16)  NOT NULL DEFAULT 'PENDING',
    retry_count       integer      NOT NULL DEFAULT 0,
    crash_count       integer      NOT NULL DEFAULT 0,
    locked_by         varchar(255),
    locked_until      timestamptz,
    -- Null: never failed. A time: tried again then. Infinity: waits for an earlier event of its key, or for a person.
    next_attempt_at   timestamptz,
    -- Null: open. Set when published, discarded, or given up on without blocking its key.
    processed_at      timestamptz,
    dead_at           timestamptz,
    last_error        text,

    -- json, not jsonb: consumers get the text that was written.
    payload           json         NOT NULL,
    CONSTRAINT outbox_events_pk PRIMARY KEY (id),
    -- One check, not many: each costs every INSERT about 5 microseconds.
    CONSTRAINT outbox_events_named CHECK (aggregate_id <> '' AND event_type <> '')
);

-- What a lane claims next. Holds open events only, so a claim costs the same whatever the table holds.
CREATE INDEX outbox_events_waiting ON outbox_events (outbox_lane(aggregate_id), seq)
    WHERE processed_at IS NULL AND next_attempt_at IS NULL;
-- What a lane tries again, and when.
CREATE INDEX outbox_events_due ON outbox_events (outbox_lane(aggregate_id), next_attempt_at)
    WHERE processed_at IS NULL AND next_attempt_at < 'infinity';
-- Which keys are held back.
CREATE INDEX outbox_events_held ON outbox_events (aggregate_id, seq)
    WHERE processed_at IS NULL AND next_attempt_at IS NOT NULL;
-- What retention removes.
CREATE INDEX outbox_events_processed ON outbox_events (processed_at)
    WHERE processed_at IS NOT NULL AND dead_at IS NULL;
CREATE INDEX outbox_events_dead ON outbox_events (dead_at)
    WHERE dead_at IS NOT NULL;

-- What the owner of a lane has claimed for a first attempt and not settled yet: its open events from low to high.
CREATE TABLE outbox_claims (
    lane smallint PRIMARY KEY,
    low  bigint,
    high bigint
) WITH (fillfactor = 50);
INSERT INTO outbox_claims (lane) SELECT generate_series(0, 7);

-- Every event with its state as people see it.
CREATE VIEW outbox_states AS
SELECT e.id, e.seq, l.lane, e.aggregate_type, e.aggregate_id, e.event_type,
       CASE WHEN c.lane IS NULL THEN e.state ELSE 'CLAIMED' END AS state,
       e.retry_count, e.next_attempt_at, e.last_error, e.created_at,
       coalesce(e.dead_at, e.processed_at) AS processed_at,
       CASE WHEN c.lane IS NULL THEN e.locked_by ELSE l.owner END AS locked_by,
       CASE WHEN c.lane IS NULL THEN e.locked_until ELSE l.expires_at END AS locked_until
FROM outbox_events e
JOIN outbox_lanes l ON l.lane = outbox_lane(e.aggregate_id)
LEFT JOIN outbox_claims c ON c.lane = l.lane AND e.seq BETWEEN c.low AND c.high
    AND e.processed_at IS NULL AND e.next_attempt_at IS NULL AND l.owner IS NOT NULL AND l.expires_at > now();

INSERT INTO waybill_schema (component, version, engine) VALUES ('outbox', 1, 'queue');
