-- Waybill's tables for PostgreSQL 13 or newer, version 1, journal engine. Plain SQL: apply it with any migration tool.
--
-- A service in any language takes part with one INSERT, inside the transaction that changes its own data:
--   INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, payload)
--   VALUES (gen_random_uuid(), 'Order', '42', 'order.placed', '{"total": 10}');

-- Append-only: no row is ever updated.
CREATE TABLE outbox_events (
    -- The writer's transaction. Stands before seq, because defaults are evaluated in the order of the columns: a row whose
    -- transaction begins after a snapshot must draw a sequence number above the one read before that snapshot.
    xid               xid8         NOT NULL DEFAULT pg_current_xact_id(),
    -- Order within a key. Drawn by the database at INSERT, never ahead of it: hence no cache and no value from outside.
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
    -- json, not jsonb: consumers get the text that was written.
    payload           json         NOT NULL,
    CONSTRAINT outbox_events_pk PRIMARY KEY (id),
    -- One check, not many: each costs every INSERT about 5 microseconds.
    CONSTRAINT outbox_events_named CHECK (aggregate_id <> '' AND event_type <> '')
);
-- What a lane reads, in order.
CREATE INDEX outbox_events_lane ON outbox_events (outbox_lane(aggregate_id), seq);
-- What transactions wrote that were still open when the lane last looked.
CREATE INDEX outbox_events_xid ON outbox_events (xid, seq);
-- The history of one key, for people.
CREATE INDEX outbox_events_aggregate ON outbox_events (aggregate_id, seq);

-- An event with the transaction number of another would count as published. The function is called for such events only, so it
-- costs other INSERTs nothing. A restored dump gets the triggers after its rows. Logical replication fires the second one alone:
-- it must not stop, so relays do, until waybill schema rebase.
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

-- Before the cursors, which remember the transaction of this row.
INSERT INTO waybill_schema (component, version, engine) VALUES ('outbox', 1, 'journal');

-- How far each lane has come. A window is what is visible in the snapshot "open" and was not in "done"; it is worked in
-- the order of seq, page by page.
CREATE TABLE outbox_cursors (
    lane      smallint    PRIMARY KEY,
    -- The cluster whose transaction numbers these are: they mean nothing in another one.
    cluster   bigint      NOT NULL,
    -- The transaction (xmin) that wrote the row of waybill_schema: a restored dump has another one, also in the same cluster.
    origin    bigint      NOT NULL,
    -- The sequence of seq: its file and the transaction that last altered it. TRUNCATE … RESTART IDENTITY gives it another
    -- file; ALTER SEQUENCE … CACHE is seen as well, which lets sessions keep numbers for later.
    sequence  text        NOT NULL,
    -- Why relays stop until waybill schema rebase: SET_BACK, REPLICATED. Null: all is well.
    broken    varchar(32),
    -- Everything visible here is finished. Its list names every transaction number that was given out and not ended, so
    -- that numbers from xmax on were given out later.
    done      pg_snapshot NOT NULL,
    -- The sequence before "done" was taken: transactions with numbers from its xmax on have drawn higher ones.
    done_seq  bigint      NOT NULL,
    open      pg_snapshot,
    open_seq  bigint,
    -- The sequence after "open" was taken: the window holds nothing above. Stays when the window is closed.
    open_end  bigint      NOT NULL DEFAULT 0,
    -- The window is settled up to here, and claimed up to there.
    pos       bigint      NOT NULL DEFAULT 0,
    claimed   bigint,
    -- How many owners in a row ended while they held what lies up to "suspect".
    crashes   integer     NOT NULL DEFAULT 0,
    suspect   bigint      NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
INSERT INTO outbox_cursors (lane, cluster, origin, sequence, done, done_seq)
SELECT l.lane, p.system_identifier, w.xmin::text::bigint, pg_relation_filenode(s.seqrelid) || '/' || s.xmin, '3:3:', 0
FROM outbox_lanes l, pg_control_system() p, waybill_schema w, pg_sequence s
WHERE w.component = 'outbox' AND s.seqrelid = 'outbox_events_seq_seq'::regclass;

-- The few events that did not go out at once: waiting for a retry, parked behind such a one, given up on, discarded.
CREATE TABLE outbox_held (
    id              uuid         PRIMARY KEY REFERENCES outbox_events (id) ON DELETE CASCADE,
    seq             bigint       NOT NULL,
    aggregate_id    varchar(255) NOT NULL,
    state           varchar(16)  NOT NULL,
    retry_count     integer      NOT NULL DEFAULT 0,
    crash_count     integer      NOT NULL DEFAULT 0,
    -- A time: tried again then. Infinity: waits for an earlier event of its key, or for a person. Null: holds nothing back.
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

-- Every event with its state as people see it.
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

-- What no relay has settled yet and the side table does not hold.
CREATE VIEW outbox_waiting AS
SELECT c.lane, e.id, e.seq, e.xid, e.created_at
FROM outbox_cursors c CROSS JOIN LATERAL (
    SELECT n.id, n.seq, n.xid, n.created_at FROM outbox_events n
    WHERE outbox_lane(n.aggregate_id) = c.lane AND n.seq > c.done_seq
      AND NOT pg_visible_in_snapshot(n.xid, c.done)
    UNION ALL
    -- BETWEEN, OFFSET 0 and + 0: along the index on xid, transaction by transaction. After a bulk load the planner expects
    -- every row to be of the same transaction and would read the whole past, from the table or along the lane.
    SELECT o.id, o.seq, o.xid, o.created_at FROM pg_snapshot_xip(c.done) x CROSS JOIN LATERAL (
        SELECT * FROM outbox_events l
        WHERE l.xid = x AND l.xid BETWEEN x AND x AND l.seq <= c.done_seq AND outbox_lane(l.aggregate_id) + 0 = c.lane
        OFFSET 0) o) e
WHERE NOT (c.open IS NOT NULL AND e.seq <= c.pos AND pg_visible_in_snapshot(e.xid, c.open))
  AND NOT EXISTS (SELECT 1 FROM outbox_held h WHERE h.id = e.id);
