package io.waybill.jdbc.layout;

/**
 * What was found about a table that is to be served.
 *
 * @param detail what is, and what it costs
 * @param remedy what mends it, SQL where there is some; empty when nothing is to be done
 */
public record LayoutFinding(Level level, String what, String detail, String remedy) {
    /** How much it matters. */
    public enum Level {
        FINE,
        /** The table can be served, at a price. */
        COSTS,
        /** The table cannot be served. */
        REFUSED
    }
}
