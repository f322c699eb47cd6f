-- Tables that both engines share: lanes with their leases, relays, the audit of operators, the schema version.

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

-- The actions of operators: one row for each action, and the events that it changed.
CREATE TABLE outbox_audit (
    id     bigint       GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at     timestamptz  NOT NULL DEFAULT clock_timestamp(),
    actor  varchar(255) NOT NULL,
    action varchar(32)  NOT NULL,
    reason text         NOT NULL,
    events integer      NOT NULL
);
CREATE TABLE outbox_audit_events (
    audit_id bigint NOT NULL REFERENCES outbox_audit (id) ON DELETE CASCADE,
    event_id uuid   NOT NULL,
    PRIMARY KEY (event_id, audit_id)
);

CREATE TABLE IF NOT EXISTS waybill_schema (
    component  varchar(64) PRIMARY KEY,
    version    integer     NOT NULL,
    engine     varchar(16) NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
);
