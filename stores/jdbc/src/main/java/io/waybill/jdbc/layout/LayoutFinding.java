package io.waybill.jdbc.layout;

/**
 * One result of a check of the served table.
 *
 * @param what the thing that was checked, for example a column
 * @param detail what the check found, and its cost
 * @param remedy how to correct it, as SQL where possible; empty if nothing needs to be done
 */
public record LayoutFinding(Level level, String what, String detail, String remedy) {
    /** The severity of a finding, in ascending order. */
    public enum Level {
        FINE,
        /** The table can be served, at a cost. */
        COSTS,
        /** The table cannot be served. */
        REFUSED
    }
}
