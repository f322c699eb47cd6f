-- Waybill's tables for PostgreSQL 13 or newer, version 1, journal engine. Plain SQL: apply it with any migration tool.
--
-- A service in any language appends an event with one INSERT, in the transaction that changes its own data:
--   INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, payload)
--   VALUES (gen_random_uuid(), 'Order', '42', 'order.placed', '{"total": 10}');

-- Append-only: rows are never updated.
CREATE TABLE outbox_events (
    -- The number of the writer's transaction. The column must precede seq, because defaults are evaluated in column order:
    -- a transaction that gets its number after a snapshot must draw a sequence number above the one read before that
    -- snapshot.
    xid               xid8         NOT NULL DEFAULT pg_current_xact_id(),
    -- The order within a key. The database draws the number at INSERT, never earlier: CACHE 1, and writers cannot set it.
    seq               bigint       GENERATED ALWAYS AS IDENTITY (CACHE 1),
    id                uuid         NOT NULL DEFAULT gen_random_uuid(),
    aggregate_type    varchar(255) NOT NULL,
    aggregate_id      varchar(255) NOT NULL,
    aggregate_version bigint,
    event_type        varchar(255) NOT NULL,
    event_version     integer      NOT NULL DEFAULT 1,
    topic             varchar(255),
    headers           json,
    occurred_at       timestamptz  NOT NULL DEFAULT now(),
    created_at        timestamptz  NOT NULL DEFAULT clock_timestamp(),
    -- json instead of jsonb, because json preserves the text that was written.
    payload           json         NOT NULL,
    CONSTRAINT outbox_events_pk PRIMARY KEY (id),
    -- One constraint for both columns, because each constraint costs an INSERT about 5 microseconds.
    CONSTRAINT outbox_events_named CHECK (aggregate_id <> '' AND event_type <> '')
);
-- The events of a lane, in order.
CREATE INDEX outbox_events_lane ON outbox_events (outbox_lane(aggregate_id), seq);
-- The events of a transaction: finds events of transactions that were open in the snapshot of a cursor.
CREATE INDEX outbox_events_xid ON outbox_events (xid, seq);
-- The history of a key, for operators.
CREATE INDEX outbox_events_aggregate ON outbox_events (aggregate_id, seq);

-- Rejects an event that carries the number of another transaction, because such an event could count as published. The
-- function is called only for such events, so other INSERTs cost nothing more. A restored dump creates the triggers after
-- its rows are loaded. Logical replication fires only the second trigger. It must not fail, so the trigger stops the relays
-- instead, until waybill schema rebase.
CREATE OR REPLACE FUNCTION outbox_foreign_xid() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_NAME = 'outbox_events_own_xid' THEN
        RAISE EXCEPTION 'outbox_events.xid must be the number of the transaction that writes the event'
            USING ERRCODE = 'check_violation', HINT = 'Leave the column out of the INSERT: its default is right.';
    END IF;
    EXECUTE format('UPDATE %I.outbox_cursors SET broken = ''REPLICATED'' WHERE broken IS NULL', TG_TABLE_SCHEMA);
    RETURN NEW;
END $$;
CREATE TRIGGER outbox_events_own_xid BEFORE INSERT ON outbox_events
    FOR EACH ROW WHEN (NEW.xid IS DISTINCT FROM pg_current_xact_id()) EXECUTE FUNCTION outbox_foreign_xid();
CREATE TRIGGER outbox_events_replicated BEFORE INSERT ON outbox_events
    FOR EACH ROW WHEN (NEW.xid IS DISTINCT FROM pg_current_xact_id()) EXECUTE FUNCTION outbox_foreign_xid();
ALTER TABLE outbox_events ENABLE REPLICA TRIGGER outbox_events_replicated;

-- This row must exist before the cursors, which store the transaction that wrote it.
INSERT INTO waybill_schema (component, version, engine) VALUES ('outbox', 1, 'journal');

-- The progress of each lane. A window consists of the events that are visible in the snapshot "open" and not visible in
-- "done". It is processed in the order of seq, page by page.
CREATE TABLE outbox_cursors (
    lane      smallint    PRIMARY KEY,
    -- The cluster that assigned the transaction numbers; they have no meaning in another cluster.
    cluster   bigint      NOT NULL,
    -- The transaction (xmin) that wrote the row in waybill_schema. It differs in a restored dump, even in the same cluster.
    origin    bigint      NOT NULL,
    -- The sequence of seq: its file, and the transaction that last altered it. This detects TRUNCATE … RESTART IDENTITY,
    -- which creates a new file, and ALTER SEQUENCE … CACHE, which lets sessions reserve numbers.
    sequence  text        NOT NULL,
    -- Null, or the reason why relays refuse to run until waybill schema rebase: SET_BACK or REPLICATED.
    broken    varchar(32),
    -- Every event that is visible in this snapshot is finished. Its list contains every transaction number that was
    -- assigned and had not ended, so numbers from xmax on were assigned later.
    done      pg_snapshot NOT NULL,
    -- The sequence, read before "done" was taken. Transactions with numbers from its xmax on have drawn higher sequence
    -- numbers.
    done_seq  bigint      NOT NULL,
    open      pg_snapshot,
    open_seq  bigint,
    -- The sequence, read after "open" was taken: the window ends there. The value remains when the window is closed.
    open_end  bigint      NOT NULL DEFAULT 0,
    -- The events of the window are settled up to pos and claimed up to claimed.
    pos       bigint      NOT NULL DEFAULT 0,
    claimed   bigint,
    -- How many owners in succession crashed while events up to "suspect" were in flight.
    crashes   integer     NOT NULL DEFAULT 0,
    suspect   bigint      NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
INSERT INTO outbox_cursors (lane, cluster, origin, sequence, done, done_seq)
SELECT l.lane, p.system_identifier, w.xmin::text::bigint, pg_relation_filenode(s.seqrelid) || '/' || s.xmin, '3:3:', 0
FROM outbox_lanes l, pg_control_system() p, waybill_schema w, pg_sequence s
WHERE w.component = 'outbox' AND s.seqrelid = 'outbox_events_seq_seq'::regclass;

-- The few events that were not published at the first attempt: in retry, parked behind a retry, dead or discarded.
CREATE TABLE outbox_held (
    id              uuid         PRIMARY KEY REFERENCES outbox_events (id) ON DELETE CASCADE,
    seq             bigint       NOT NULL,
    aggregate_id    varchar(255) NOT NULL,
    state           varchar(16)  NOT NULL,
    retry_count     integer      NOT NULL DEFAULT 0,
    crash_count     integer      NOT NULL DEFAULT 0,
    -- A time: the next attempt. Infinity: waits for an earlier event of its key, or for an operator. Null: does not block
    -- its key.
    next_attempt_at timestamptz,
    locked_by       varchar(255),
    locked_until    timestamptz,
    last_error      text,
    dead_at         timestamptz,
    settled_at      timestamptz
);
CREATE INDEX outbox_held_due ON outbox_held (outbox_lane(aggregate_id), next_attempt_at)
    WHERE next_attempt_at < 'infinity';
CREATE INDEX outbox_held_key ON outbox_held (aggregate_id, seq) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX outbox_held_dead ON outbox_held (dead_at) WHERE dead_at IS NOT NULL;
CREATE INDEX outbox_held_settled ON outbox_held (settled_at) WHERE settled_at IS NOT NULL AND dead_at IS NULL;

-- Every event with its state, for operators.
CREATE VIEW outbox_states AS
SELECT e.id, e.seq, l.lane, e.aggregate_type, e.aggregate_id, e.event_type,
       CASE WHEN h.id IS NOT NULL THEN h.state
            WHEN w.finished THEN 'PUBLISHED'
            WHEN w.claimed THEN 'CLAIMED'
            ELSE 'PENDING' END AS state,
       CASE WHEN h.id IS NOT NULL THEN h.retry_count
            WHEN w.open AND NOT w.finished AND e.seq <= c.suspect THEN c.crashes
            ELSE 0 END AS retry_count,
       h.next_attempt_at, h.last_error, e.created_at, h.settled_at AS processed_at,
       CASE WHEN h.id IS NOT NULL THEN h.locked_by WHEN w.claimed THEN l.owner END AS locked_by,
       CASE WHEN h.id IS NOT NULL THEN h.locked_until WHEN w.claimed THEN l.expires_at END AS locked_until
FROM outbox_events e
JOIN outbox_lanes l ON l.lane = outbox_lane(e.aggregate_id)
JOIN outbox_cursors c ON c.lane = l.lane
CROSS JOIN LATERAL (SELECT c.open IS NOT NULL AND pg_visible_in_snapshot(e.xid, c.open) AS open) o
CROSS JOIN LATERAL (
    SELECT o.open,
           pg_visible_in_snapshot(e.xid, c.done) OR (o.open AND e.seq <= c.pos) AS finished,
           NOT pg_visible_in_snapshot(e.xid, c.done) AND o.open AND e.seq > c.pos
               AND coalesce(e.seq <= c.claimed, false) AND l.owner IS NOT NULL AND l.expires_at > now() AS claimed) w
LEFT JOIN outbox_held h ON h.id = e.id;

-- The events that are not settled and have no row in outbox_held.
CREATE VIEW outbox_waiting AS
SELECT c.lane, e.id, e.seq, e.xid, e.created_at
FROM outbox_cursors c CROSS JOIN LATERAL (
    SELECT n.id, n.seq, n.xid, n.created_at FROM outbox_events n
    WHERE outbox_lane(n.aggregate_id) = c.lane AND n.seq > c.done_seq
      AND NOT pg_visible_in_snapshot(n.xid, c.done)
    UNION ALL
    -- BETWEEN, OFFSET 0 and + 0 make the planner use the index on xid, transaction by transaction. After a bulk load it
    -- expects all rows to belong to one transaction, and would otherwise scan the table or the whole index of the lane.
    SELECT o.id, o.seq, o.xid, o.created_at FROM pg_snapshot_xip(c.done) x CROSS JOIN LATERAL (
        SELECT * FROM outbox_events l
        WHERE l.xid = x AND l.xid BETWEEN x AND x AND l.seq <= c.done_seq AND outbox_lane(l.aggregate_id) + 0 = c.lane
        OFFSET 0) o) e
WHERE NOT (c.open IS NOT NULL AND e.seq <= c.pos AND pg_visible_in_snapshot(e.xid, c.open))
  AND NOT EXISTS (SELECT 1 FROM outbox_held h WHERE h.id = e.id);
