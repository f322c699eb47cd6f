CREATE TABLE IF NOT EXISTS categories (id uuid PRIMARY KEY, name text NOT NULL);

CREATE TABLE IF NOT EXISTS products (
    id          uuid          PRIMARY KEY,
    name        text          NOT NULL,
    description text          NOT NULL,
    price       numeric(12,2) NOT NULL CHECK (price >= 0),
    currency    char(3)       NOT NULL,
    category_id uuid,
    brand       text,
    -- DRAFT, ACTIVE, ARCHIVED
    status      text          NOT NULL,
    created_at  timestamptz   NOT NULL DEFAULT now(),
    updated_at  timestamptz   NOT NULL DEFAULT now()
);

CREATE TABLE IF NOT EXISTS product_images (
    id         uuid PRIMARY KEY,
    product_id uuid NOT NULL REFERENCES products (id) ON DELETE CASCADE,
    url        text NOT NULL
);

CREATE TABLE IF NOT EXISTS variants (
    id         uuid          PRIMARY KEY,
    product_id uuid          NOT NULL REFERENCES products (id) ON DELETE CASCADE,
    sku        text          NOT NULL UNIQUE,
    price      numeric(12,2) NOT NULL CHECK (price >= 0),
    attributes json          NOT NULL,
    -- AVAILABLE, OUT_OF_STOCK, DISCONTINUED
    status     text          NOT NULL,
    created_at timestamptz   NOT NULL DEFAULT now(),
    updated_at timestamptz   NOT NULL DEFAULT now()
);
