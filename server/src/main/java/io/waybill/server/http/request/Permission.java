package io.waybill.server.http.request;

/** What a user may do, from harmless to dangerous. */
public enum Permission {
    /** See everything but payloads. */
    VIEW,
    /** See payloads. */
    PAYLOAD,
    /** Replay, discard, pause and other actions. */
    ACT,
    /** Publish a corrected copy of an event. */
    EDIT;

    /** Whether it changes what is delivered. An instance in read-only mode grants none of these. */
    boolean changes() {
        return this == ACT || this == EDIT;
    }
}
