-- The audit log can grow, and nothing else. The trigger also fires in replication mode; only the owner of the table can drop it.
CREATE FUNCTION refuse_change_of_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit_log is append-only: % is refused.', TG_OP
        USING ERRCODE = 'restrict_violation', HINT = 'Insert a row that corrects the earlier one.';
END $$;

CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit_log();
ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_append_only;
