package io.waybill.faults.history;

/**
 * Big events of one key that are still to be written.
 *
 * @param left how many
 * @param shortest text of an event, in characters
 * @param longest text of an event, in characters
 */
record Burst(int left, int shortest, int longest) {
    static final Burst NONE = new Burst(0, 0, 0);
    static final String KEY = "key-1";

    boolean over() {
        return left <= 0;
    }

    Burst less(int written) {
        return new Burst(left - written, shortest, longest);
    }
}
