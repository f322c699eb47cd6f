package io.waybill.jdbc.internal.assumption;

/**
 * Something that an engine assumes about its database and that does not hold.
 *
 * @param message what is wrong, and the remedy
 */
public record Violation(Concern concern, String message) {
    /** Who is concerned, and what helps. */
    public enum Concern {
        /** The connections of a relay; services may write through theirs. */
        RELAY,
        /** The tables. */
        TABLES,
        /** The tables; waybill schema rebase repairs them, and services may write meanwhile. */
        REBASE
    }
}
