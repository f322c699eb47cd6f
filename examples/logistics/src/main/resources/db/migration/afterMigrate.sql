-- The table of the inbox module that stores the answers to requests with an Idempotency-Key.
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_keys TO logistics_app;
