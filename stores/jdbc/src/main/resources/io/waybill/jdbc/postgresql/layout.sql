-- The tables that a layout needs in addition to those of the queue engine. Each served table has its own schema.

-- The served table. A relay locks this row while it imports events, so that only one relay does so at a time.
CREATE TABLE outbox_intake (
    source varchar(255) PRIMARY KEY
);

-- The source row of each event, if the served table has ids other than UUIDs.
CREATE TABLE outbox_sources (
    id        uuid PRIMARY KEY,
    source_id text NOT NULL
);

INSERT INTO waybill_schema (component, version, engine) VALUES ('layout', 1, 'queue');
