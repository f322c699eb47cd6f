-- The tables of the payment service. The script can run at every start.

CREATE TABLE IF NOT EXISTS payments (
    id             uuid           PRIMARY KEY,
    -- An order has one payment: the saga may repeat its command.
    order_id       uuid           NOT NULL UNIQUE,
    user_id        text,
    amount         numeric(14, 2) NOT NULL CHECK (amount >= 0),
    currency       char(3)        NOT NULL,
    status         text           NOT NULL CHECK (status IN ('INITIATED', 'REQUIRES_ACTION', 'SUCCESS', 'FAILED', 'EXPIRED', 'REFUNDED')),
    provider       text           NOT NULL CHECK (provider IN ('STRIPE', 'PAYPAL')),
    provider_ref   text           NOT NULL UNIQUE,
    checkout_url   text           NOT NULL,
    success_url    text,
    cancel_url     text,
    failure_reason text,
    expires_at     timestamptz,
    -- The flow that the payment belongs to. A webhook has no trace context of its own order.
    correlation_id text           NOT NULL,
    traceparent    text,
    tracestate     text,
    created_at     timestamptz    NOT NULL DEFAULT clock_timestamp(),
    updated_at     timestamptz    NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE IF NOT EXISTS refunds (
    id         uuid           PRIMARY KEY,
    payment_id uuid           NOT NULL REFERENCES payments (id),
    amount     numeric(14, 2) NOT NULL CHECK (amount > 0),
    reason     text,
    status     text           NOT NULL CHECK (status IN ('PENDING', 'SUCCESS', 'FAILED')),
    created_at timestamptz    NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX IF NOT EXISTS refunds_payment ON refunds (payment_id);

-- Orders that ended. A command about such an order may arrive later than the news of its end.
CREATE TABLE IF NOT EXISTS closed_orders (
    order_id  uuid        PRIMARY KEY,
    reason    text        NOT NULL,
    closed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- The events of the provider, which sends an event again until it gets a 2xx answer.
CREATE TABLE IF NOT EXISTS provider_events (
    id          text        PRIMARY KEY,
    type        text        NOT NULL,
    received_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE IF NOT EXISTS idempotency_keys (
    scope        text        NOT NULL,
    key          text        NOT NULL,
    request_hash text        NOT NULL,
    status       integer,
    response     json,
    expires_at   timestamptz NOT NULL,
    PRIMARY KEY (scope, key)
);
CREATE INDEX IF NOT EXISTS idempotency_keys_expiry ON idempotency_keys (expires_at);

CREATE TABLE IF NOT EXISTS processed_events (
    event_id     uuid        PRIMARY KEY,
    event_type   text,
    source       text,
    processed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- The nine columns of the original table. The default of created_at is the time of the INSERT and not of the transaction:
-- all writers lock the payment first, so the events of an order get ascending times.
CREATE TABLE IF NOT EXISTS outbox_events (
    id            uuid         PRIMARY KEY,
    aggregate_id  varchar(255) NOT NULL,
    event_type    varchar(255) NOT NULL,
    version       integer      NOT NULL DEFAULT 1,
    payload       json         NOT NULL,
    created_at    timestamptz  NOT NULL DEFAULT clock_timestamp(),
    processed     boolean      NOT NULL DEFAULT false,
    processed_at  timestamptz,
    error_message text
);
-- Optional: the metadata of the envelope (traceparent, correlation-id, …).
ALTER TABLE outbox_events ADD COLUMN IF NOT EXISTS headers json;
-- Optional: the exact order of the rows, also within a transaction and when the clock is set back.
ALTER TABLE outbox_events ADD COLUMN IF NOT EXISTS waybill_seq bigint GENERATED ALWAYS AS IDENTITY (CACHE 1);
CREATE INDEX IF NOT EXISTS outbox_events_waiting ON outbox_events (waybill_seq, created_at, id) WHERE NOT processed;
