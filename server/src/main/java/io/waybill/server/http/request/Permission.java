package io.waybill.server.http.request;

/** The permissions of users, from harmless to dangerous. */
public enum Permission {
    /** See everything but payloads. */
    VIEW,
    /** See payloads. */
    PAYLOAD,
    /** Replay, discard, pause and other actions. */
    ACT,
    /** Publish a corrected copy of an event. */
    EDIT;

    /** Whether the permission allows changes. An instance in read-only mode grants no such permission. */
    boolean changes() {
        return this == ACT || this == EDIT;
    }
}
