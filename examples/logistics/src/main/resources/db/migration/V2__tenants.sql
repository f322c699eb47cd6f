-- Every row belongs to a tenant. Rows that are older than this migration belong to the first tenant.
ALTER TABLE orders ADD COLUMN tenant_id uuid NOT NULL DEFAULT '00000000-0000-4000-8000-000000000001';
ALTER TABLE orders ALTER COLUMN tenant_id DROP DEFAULT;
ALTER TABLE parcels ADD COLUMN tenant_id uuid NOT NULL DEFAULT '00000000-0000-4000-8000-000000000001';
ALTER TABLE parcels ALTER COLUMN tenant_id DROP DEFAULT;
ALTER TABLE outbox_events ADD COLUMN tenant_id uuid NOT NULL DEFAULT '00000000-0000-4000-8000-000000000001';
ALTER TABLE outbox_events ALTER COLUMN tenant_id DROP DEFAULT;
CREATE INDEX idx_orders_tenant ON orders (tenant_id, created_at, id);

-- A transaction sees and writes the rows of the tenant that it has named; without a name, none. FORCE applies this to the
-- owner of the tables, too.
ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
ALTER TABLE orders FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON orders
    USING (tenant_id = nullif(current_setting('app.current_tenant', true), '')::uuid);
ALTER TABLE parcels ENABLE ROW LEVEL SECURITY;
ALTER TABLE parcels FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON parcels
    USING (tenant_id = nullif(current_setting('app.current_tenant', true), '')::uuid);
ALTER TABLE outbox_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE outbox_events FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON outbox_events
    USING (tenant_id = nullif(current_setting('app.current_tenant', true), '')::uuid);

-- The service, which sees one tenant at a time, and the relay, which must see all of them. Roles belong to the whole server,
-- so they may exist already. Give them passwords where connections need one.
DO $$ BEGIN
    CREATE ROLE logistics_app LOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
DO $$ BEGIN
    CREATE ROLE logistics_relay LOGIN BYPASSRLS;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
GRANT SELECT, INSERT ON orders, parcels, outbox_events TO logistics_app;
GRANT UPDATE (status) ON orders TO logistics_app;
-- Only for the shadow stage of the migration, in which the service itself publishes.
GRANT UPDATE (status, processed_at) ON outbox_events TO logistics_app;
