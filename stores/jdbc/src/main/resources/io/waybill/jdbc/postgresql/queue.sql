-- Waybill's tables for PostgreSQL 13 or newer, version 1, queue engine. Plain SQL: apply it with any migration tool.
--
-- A service in any language appends an event with one INSERT, in the transaction that changes its own data:
--   INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, payload)
--   VALUES (gen_random_uuid(), 'Order', '42', 'order.placed', '{"total": 10}');

CREATE TABLE outbox_events (
    -- Written by the writer.
    id                uuid         NOT NULL DEFAULT gen_random_uuid(),
    -- The order within a key. The database draws the number at INSERT, never earlier: CACHE 1, and writers cannot set it.
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

    -- Written by the relay: PENDING, CLAIMED, PUBLISHED, PARKED, DEAD_LETTER or DISCARDED. First attempts are claimed in
    -- outbox_claims, as a range for each lane, so that a successful event is updated only once. The view outbox_states
    -- combines both.
    state             varchar(16)  NOT NULL DEFAULT 'PENDING',
    retry_count       integer      NOT NULL DEFAULT 0,
    crash_count       integer      NOT NULL DEFAULT 0,
    locked_by         varchar(255),
    locked_until      timestamptz,
    -- Null: never failed. A time: the next attempt. Infinity: waits for an earlier event of its key, or for an operator.
    next_attempt_at   timestamptz,
    -- Null while the event is open. Set when it is published, discarded, or becomes a dead letter that does not block its
    -- key.
    processed_at      timestamptz,
    dead_at           timestamptz,
    last_error        text,

    -- json instead of jsonb, because json preserves the text that was written.
    payload           json         NOT NULL,
    CONSTRAINT outbox_events_pk PRIMARY KEY (id),
    -- One constraint for both columns, because each constraint costs an INSERT about 5 microseconds.
    CONSTRAINT outbox_events_named CHECK (aggregate_id <> '' AND event_type <> '')
);

-- The next events of a lane to claim. The index contains only open events, so the cost of a claim does not grow with the
-- table.
CREATE INDEX outbox_events_waiting ON outbox_events (outbox_lane(aggregate_id), seq)
    WHERE processed_at IS NULL AND next_attempt_at IS NULL;
-- The retries of a lane, by due time.
CREATE INDEX outbox_events_due ON outbox_events (outbox_lane(aggregate_id), next_attempt_at)
    WHERE processed_at IS NULL AND next_attempt_at < 'infinity';
-- The keys that are held back.
CREATE INDEX outbox_events_held ON outbox_events (aggregate_id, seq)
    WHERE processed_at IS NULL AND next_attempt_at IS NOT NULL;
-- The events that retention removes.
CREATE INDEX outbox_events_processed ON outbox_events (processed_at)
    WHERE processed_at IS NOT NULL AND dead_at IS NULL;
CREATE INDEX outbox_events_dead ON outbox_events (dead_at)
    WHERE dead_at IS NOT NULL;

-- The open claim of each lane: the owner of the lane has claimed its open events from low to high for a first attempt.
CREATE TABLE outbox_claims (
    lane smallint PRIMARY KEY,
    low  bigint,
    high bigint
) WITH (fillfactor = 50);
INSERT INTO outbox_claims (lane) SELECT generate_series(0, 7);

-- Every event with its state, for operators.
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
