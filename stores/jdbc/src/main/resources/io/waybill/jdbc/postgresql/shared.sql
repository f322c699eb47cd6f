-- What both engines share: lanes with their leases, the roll of relays, what operators did, the version.

-- The lane of a key: a share of the keys that one relay owns at a time. md5, because it gives the same lane in every
-- version of every database. A function in the indexes, not a generated column: PostgreSQL would parse the column's
-- expression anew for every row that an UPDATE touches. Eight lanes: as many relays can share the work.
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
    -- Whether it reaches its broker. As long as another relay does, a relay that does not has no lanes.
    serving              boolean          NOT NULL DEFAULT true
) WITH (fillfactor = 50);

-- What operators did: one row for each action, and the events it changed.
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
