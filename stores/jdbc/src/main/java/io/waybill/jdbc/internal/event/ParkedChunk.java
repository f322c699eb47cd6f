package io.waybill.jdbc.internal.event;

/** Limits on the parked events that one transaction parks or frees, so that no transaction takes long. */
public final class ParkedChunk {
    /** The largest number of events of one key that are freed at once. */
    public static final int MAX = 500;

    /** The approximate limit on the events that one transaction frees or parks. */
    public static final int MAX_PER_TRANSACTION = 5_000;

    private static final int MIN = 20;

    private ParkedChunk() {}

    /** Returns the number of events to free of each key, for this number of keys. */
    public static int size(int keys) {
        return Math.max(MIN, Math.min(MAX, MAX_PER_TRANSACTION / keys));
    }
}
