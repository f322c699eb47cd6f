CREATE TABLE IF NOT EXISTS product_index (
    product_id  uuid          PRIMARY KEY,
    name        text          NOT NULL,
    description text          NOT NULL,
    price       numeric(12,2) NOT NULL,
    currency    char(3)       NOT NULL,
    active      boolean       NOT NULL,
    -- A deleted product stays as a mark, so that an older event does not bring it back.
    deleted     boolean       NOT NULL,
    changed_at  timestamptz   NOT NULL,
    words       tsvector      GENERATED ALWAYS AS (to_tsvector('simple', name || ' ' || description)) STORED
);
CREATE INDEX IF NOT EXISTS product_index_words ON product_index USING gin (words);
