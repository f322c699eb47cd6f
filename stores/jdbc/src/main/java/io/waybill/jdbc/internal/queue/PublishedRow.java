package io.waybill.jdbc.internal.queue;

/** What happens to the row of a published event. */
public enum PublishedRow {
    /** The row is marked PUBLISHED and kept until its retention ends. */
    MARK,
    /** The row is deleted. */
    DELETE
}
