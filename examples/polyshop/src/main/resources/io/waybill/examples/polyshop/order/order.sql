CREATE TABLE IF NOT EXISTS orders (
    id               uuid          PRIMARY KEY,
    user_id          text          NOT NULL,
    total_amount     numeric(14,2) NOT NULL,
    currency         char(3)       NOT NULL,
    -- CREATED, RESERVING_STOCK, PENDING_PAYMENT, PAYMENT_FAILED, PAID, FULFILLING, FULFILLED, CANCELLED, EXPIRED
    status           text          NOT NULL,
    shipping_address json          NOT NULL,
    billing_address  json,
    payment_id       text,
    -- Why the order is CANCELLED or EXPIRED.
    close_reason     text,
    -- The headers of the order's events: correlation and trace of the request that placed it.
    headers          json          NOT NULL,
    created_at       timestamptz   NOT NULL DEFAULT now(),
    updated_at       timestamptz   NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS orders_of_user ON orders (user_id, created_at DESC, id);

CREATE TABLE IF NOT EXISTS order_items (
    id          uuid          PRIMARY KEY,
    order_id    uuid          NOT NULL REFERENCES orders (id),
    line        integer       NOT NULL,
    product_id  uuid          NOT NULL,
    variant_id  uuid,
    quantity    integer       NOT NULL CHECK (quantity > 0),
    unit_price  numeric(12,2) NOT NULL,
    total_price numeric(14,2) NOT NULL,
    UNIQUE (order_id, line)
);

-- The prices that the service product has announced.
CREATE TABLE IF NOT EXISTS product_prices (
    product_id uuid          PRIMARY KEY,
    price      numeric(12,2) NOT NULL,
    currency   char(3)       NOT NULL,
    active     boolean       NOT NULL,
    changed_at timestamptz   NOT NULL
);

-- The log of the saga, as the reference names it. The engine writes the history below it.
CREATE OR REPLACE VIEW order_saga_log AS
SELECT h.saga_id || '/' || h.revision || '/' || h.position AS id,
       s.business_key::uuid                                AS order_id,
       coalesce(h.step, 'saga')                            AS step,
       h.kind                                              AS status,
       h.at                                                AS "timestamp",
       h.detail                                            AS data
FROM saga_history h
JOIN sagas s ON s.id = h.saga_id
WHERE s.name = 'place-order';
