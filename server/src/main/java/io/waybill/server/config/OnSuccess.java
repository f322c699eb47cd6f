package io.waybill.server.config;

/** What becomes of a published event's row. */
public enum OnSuccess {
    MARK,
    DELETE
}
