CREATE TABLE IF NOT EXISTS stock (
    id         uuid        PRIMARY KEY,
    product_id uuid        NOT NULL,
    variant_id uuid,
    available  integer     NOT NULL CHECK (available >= 0),
    reserved   integer     NOT NULL CHECK (reserved >= 0),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX IF NOT EXISTS stock_of_item
    ON stock (product_id, coalesce(variant_id, '00000000-0000-0000-0000-000000000000'));

CREATE TABLE IF NOT EXISTS reservations (
    -- Derived from the order and the item, so that a repeated request finds the same reservation.
    id         uuid        PRIMARY KEY,
    order_id   uuid        NOT NULL,
    product_id uuid        NOT NULL,
    variant_id uuid,
    quantity   integer     NOT NULL CHECK (quantity > 0),
    -- RESERVED, CONFIRMED, RELEASED, EXPIRED
    status     text        NOT NULL,
    expires_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS reservations_of_order ON reservations (order_id);
CREATE INDEX IF NOT EXISTS reservations_to_expire ON reservations (expires_at) WHERE status = 'RESERVED';

-- Every change of the goods in the warehouse: their sum is available + reserved.
CREATE TABLE IF NOT EXISTS movements (
    id             uuid        PRIMARY KEY,
    product_id     uuid        NOT NULL,
    variant_id     uuid,
    quantity_delta integer     NOT NULL,
    reason         text        NOT NULL,
    order_id       uuid,
    created_at     timestamptz NOT NULL DEFAULT now()
);

-- Orders that were cancelled or have expired. A command for such an order that arrives late is refused.
CREATE TABLE IF NOT EXISTS closed_orders (
    order_id  uuid        PRIMARY KEY,
    closed_at timestamptz NOT NULL DEFAULT now()
);
