-- The service's own tables. The script can run at every start. outbox_events and processed_events are Waybill's tables:
-- `waybill schema apply` and `waybill inbox schema apply` create them.

CREATE TABLE IF NOT EXISTS templates (
    id         uuid        PRIMARY KEY,
    name       text        NOT NULL UNIQUE,
    type       text        NOT NULL CHECK (type IN ('EMAIL', 'SMS')),
    subject    text,
    body       text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- The primary key is the id of the notification: the same notification is sent once.
CREATE TABLE IF NOT EXISTS email_logs (
    id            uuid        PRIMARY KEY,
    to_address    text        NOT NULL,
    template      text        NOT NULL,
    status        text        NOT NULL CHECK (status IN ('SENT', 'FAILED')),
    error_message text,
    metadata      json        NOT NULL DEFAULT '{}',
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE IF NOT EXISTS sms_logs (
    id            uuid        PRIMARY KEY,
    to_number     text        NOT NULL,
    template      text        NOT NULL,
    status        text        NOT NULL CHECK (status IN ('SENT', 'FAILED')),
    error_message text,
    metadata      json        NOT NULL DEFAULT '{}',
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- What the service remembers from events of other services: the address of a user, and the customer of an order.
CREATE TABLE IF NOT EXISTS recipients (
    user_id   text PRIMARY KEY,
    email     text NOT NULL,
    full_name text
);

CREATE TABLE IF NOT EXISTS customer_orders (
    order_id     uuid           PRIMARY KEY,
    user_id      text           NOT NULL,
    total_amount numeric(14, 2) NOT NULL,
    currency     text           NOT NULL
);
