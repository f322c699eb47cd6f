-- Tables that both engines share: lanes with their leases, relays, what operators did and paused, the schema version.

-- The lane of a key. A lane is a share of the keys, owned by one relay at a time; with eight lanes, up to eight relays
-- share the work. md5 gives the same lane in every version of PostgreSQL. The indexes use a function instead of a
-- generated column, because PostgreSQL would parse the expression of the column again for every row that an UPDATE changes.
CREATE FUNCTION outbox_lane(key text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT get_byte(decode(md5(key), 'hex'), 0) % 8 $$;

CREATE TABLE outbox_lanes (
    lane       smallint     PRIMARY KEY,
    owner      varchar(255),
    fence      bigint       NOT NULL DEFAULT 0,
    expires_at timestamptz  NOT NULL DEFAULT now()
) WITH (fillfactor = 50);
INSERT INTO outbox_lanes (lane) SELECT generate_series(0, 7);

CREATE TABLE outbox_relays (
    name                 varchar(255)     PRIMARY KEY,
    place                varchar(255)     NOT NULL,
    version              varchar(64)      NOT NULL,
    started_at           timestamptz      NOT NULL DEFAULT clock_timestamp(),
    heartbeat_at         timestamptz      NOT NULL DEFAULT clock_timestamp(),
    expires_at           timestamptz      NOT NULL,
    published_total      bigint           NOT NULL DEFAULT 0,
    published_per_second double precision NOT NULL DEFAULT 0,
    -- Whether the relay reaches its broker. A relay that does not reach it gives up its lanes while another relay does.
    serving              boolean          NOT NULL DEFAULT true
) WITH (fillfactor = 50);

-- The actions of operators: one row for each action, and the events that it changed. Rows are only added.
CREATE TABLE outbox_audit (
    id     bigint       GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at     timestamptz  NOT NULL DEFAULT clock_timestamp(),
    actor  varchar(255) NOT NULL,
    action varchar(32)  NOT NULL,
    reason text         NOT NULL,
    events integer      NOT NULL,
    -- Unique, so that a repeated request has no effect.
    action_id varchar(64),
    origin varchar(255),
    -- Whether the action was refused and changed nothing.
    refused boolean NOT NULL DEFAULT false,
    -- What the action concerned if not only events: a key, a pause, the id of a corrected event.
    detail text,
    CONSTRAINT outbox_audit_action UNIQUE (action_id)
);
CREATE TABLE outbox_audit_events (
    audit_id bigint NOT NULL REFERENCES outbox_audit (id) ON DELETE CASCADE,
    event_id uuid   NOT NULL,
    PRIMARY KEY (event_id, audit_id)
);

-- What operators have paused. Relays read these rows about twice a second.
CREATE TABLE outbox_pauses (
    -- RELAY, TOPIC, TYPE or KEY
    scope      varchar(8)   NOT NULL,
    -- The name of a relay or * for all relays; a topic; a type; a key
    target     varchar(255) NOT NULL,
    actor      varchar(255) NOT NULL,
    reason     text NOT NULL,
    paused_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Null: until an operator ends the pause.
    expires_at timestamptz,
    PRIMARY KEY (scope, target)
);

-- Actions on all events that match a filter.
CREATE TABLE outbox_operations (
    id              uuid NOT NULL PRIMARY KEY,
    -- REPLAY, DISCARD or RETRY
    kind            varchar(8)   NOT NULL,
    -- JSON
    filter          text NOT NULL,
    actor           varchar(255) NOT NULL,
    reason          text NOT NULL,
    -- DRAFT, CONFIRMED, RUNNING, DONE, CANCELLED or FAILED
    state           varchar(16)  NOT NULL,
    total_events    bigint       NOT NULL,
    done_events     bigint       NOT NULL DEFAULT 0,
    failed_events   bigint       NOT NULL DEFAULT 0,
    skipped_events  bigint       NOT NULL DEFAULT 0,
    arrived_events  bigint       NOT NULL DEFAULT 0,
    rate_per_second integer      NOT NULL,
    -- The operation leaves out events that reached the required state after it was created.
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The position after the last examined event.
    reached         text,
    -- The program that works on the operation, and until when others leave the operation to it.
    runner          varchar(255),
    leased_until    timestamptz,
    -- Not null if the rate is limited: when the next events may be changed.
    next_step_at    timestamptz,
    ended_at        timestamptz,
    error           text
);
CREATE TABLE outbox_operation_results (
    operation_id uuid NOT NULL,
    event_id     uuid NOT NULL,
    -- DONE, FAILED or SKIPPED
    outcome      varchar(8) NOT NULL,
    detail       text,
    PRIMARY KEY (operation_id, event_id)
);

CREATE TABLE IF NOT EXISTS waybill_schema (
    component  varchar(64) PRIMARY KEY,
    version    integer     NOT NULL,
    engine     varchar(16) NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
);
