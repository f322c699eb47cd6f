package io.waybill.mongodb.internal.db;

/** The names of Waybill's collections. */
public final class Collections {
    public static final String EVENTS = "outbox_events";
    public static final String LANES = "outbox_lanes";
    public static final String CLAIMS = "outbox_claims";
    public static final String RELAYS = "outbox_relays";
    public static final String AUDIT = "outbox_audit";
    public static final String PROCESSED = "processed_events";
    public static final String HELD = "inbox_held";
    public static final String VERSIONS = "inbox_versions";
    public static final String DEAD_LETTERS = "inbox_dead_letters";
    public static final String INBOX_AUDIT = "inbox_audit";
    public static final String PAUSES = "inbox_pauses";
    public static final String EFFECTS = "inbox_effects";
    public static final String IDEMPOTENCY_KEYS = "idempotency_keys";

    private Collections() {}
}
