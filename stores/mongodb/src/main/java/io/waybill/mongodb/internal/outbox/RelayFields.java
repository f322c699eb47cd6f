package io.waybill.mongodb.internal.outbox;

/** The fields of a relay's document. Its id is the name of the relay. */
final class RelayFields {
    static final String PLACE = "place";
    static final String VERSION = "version";
    static final String STARTED_AT = "started_at";
    static final String HEARTBEAT_AT = "heartbeat_at";
    static final String EXPIRES_AT = "expires_at";
    static final String PUBLISHED_TOTAL = "published_total";
    static final String PUBLISHED_PER_SECOND = "published_per_second";
    static final String SERVING = "serving";

    private RelayFields() {}
}
