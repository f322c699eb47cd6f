-- The exact order of the events. occurred_at is the time when the transaction began, which is not the order of the commits.
ALTER TABLE outbox_events ADD COLUMN waybill_seq bigint GENERATED ALWAYS AS IDENTITY (CACHE 1);
CREATE INDEX idx_outbox_waiting ON outbox_events (waybill_seq) WHERE status = 'PENDING';
-- The dead letters, for operators.
CREATE INDEX idx_outbox_failed ON outbox_events (occurred_at) WHERE status = 'FAILED';
