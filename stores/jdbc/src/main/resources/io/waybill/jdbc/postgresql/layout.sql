-- What serves a table that was there before Waybill, beside the tables of the queue engine. One such schema for each table.

-- The table that is served. Who takes rows from it locks this row, so that only one relay does at a time.
CREATE TABLE outbox_intake (
    source varchar(255) PRIMARY KEY
);

-- The rows that events were taken from, where the ids of the table are no UUIDs.
CREATE TABLE outbox_sources (
    id        uuid PRIMARY KEY,
    source_id text NOT NULL
);

INSERT INTO waybill_schema (component, version, engine) VALUES ('layout', 1, 'queue');
