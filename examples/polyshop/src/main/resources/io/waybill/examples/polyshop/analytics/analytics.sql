CREATE TABLE IF NOT EXISTS sales_daily (
    date          date          PRIMARY KEY,
    total_orders  bigint        NOT NULL,
    total_revenue numeric(16,2) NOT NULL
);

CREATE OR REPLACE VIEW sales_monthly AS
SELECT date_trunc('month', date)::date AS month, sum(total_orders) AS total_orders, sum(total_revenue) AS total_revenue
FROM sales_daily GROUP BY 1;

CREATE TABLE IF NOT EXISTS customers (user_id text PRIMARY KEY);

CREATE TABLE IF NOT EXISTS events_raw (
    id         uuid        PRIMARY KEY,
    event_type text        NOT NULL,
    payload    json        NOT NULL,
    created_at timestamptz NOT NULL
);

-- What was paid and refunded for each order.
CREATE TABLE IF NOT EXISTS order_money (
    order_id text          PRIMARY KEY,
    paid     numeric(14,2) NOT NULL DEFAULT 0,
    refunded numeric(14,2) NOT NULL DEFAULT 0
);
