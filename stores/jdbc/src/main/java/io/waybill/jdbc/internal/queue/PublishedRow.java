package io.waybill.jdbc.internal.queue;

/** What happens to the row of a published event. */
public enum PublishedRow {
    /** It is marked PUBLISHED and stays until its retention ends. */
    MARK,
    /** It is deleted. */
    DELETE
}
