CREATE TABLE orders (
    id            uuid PRIMARY KEY,
    customer_name varchar(200) NOT NULL,
    street        varchar(200) NOT NULL,
    number        varchar(20)  NOT NULL,
    unit          varchar(20),
    city          varchar(100) NOT NULL,
    postal_code   varchar(20)  NOT NULL,
    country_code  char(2)      NOT NULL,
    -- Money is a whole number of the smallest unit of its currency.
    freight_minor bigint       CHECK (freight_minor >= 0),
    currency      char(3),
    status        varchar(20)  NOT NULL DEFAULT 'OPEN' CHECK (status IN ('OPEN', 'CANCELLED')),
    created_at    timestamptz  NOT NULL DEFAULT now(),
    CHECK ((freight_minor IS NULL) = (currency IS NULL))
);

CREATE TABLE parcels (
    order_id      uuid    NOT NULL REFERENCES orders (id),
    number        integer NOT NULL,
    weight_grams  bigint  NOT NULL CHECK (weight_grams > 0),
    -- The share of the order's freight; the shares add up to it exactly.
    freight_minor bigint,
    PRIMARY KEY (order_id, number)
);

-- The outbox of the implementation plan: eleven columns, two indexes besides the primary key.
CREATE TABLE outbox_events (
    id              uuid PRIMARY KEY,
    aggregate_type  varchar(50)  NOT NULL,
    aggregate_id    uuid         NOT NULL,
    event_type      varchar(100) NOT NULL,
    payload         jsonb        NOT NULL,
    occurred_at     timestamptz  DEFAULT now(),
    status          varchar(20)  DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'PUBLISHED', 'FAILED')),
    retry_count     int          DEFAULT 0,
    next_attempt_at timestamptz  DEFAULT now(),
    last_error      text,
    processed_at    timestamptz
);
CREATE INDEX idx_outbox_poll ON outbox_events (status, next_attempt_at);
CREATE INDEX idx_outbox_aggregate ON outbox_events (aggregate_type, aggregate_id);
