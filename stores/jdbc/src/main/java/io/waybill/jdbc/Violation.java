package io.waybill.jdbc;

/**
 * Something that an engine assumes about its database and that does not hold.
 *
 * @param message what is wrong, and the remedy
 */
record Violation(Concern concern, String message) {
    /** Who is concerned, and what helps. */
    enum Concern {
        /** The connections of a relay; services may write through theirs. */
        RELAY,
        /** The tables. */
        TABLES,
        /** The tables; waybill schema rebase repairs them, and services may write meanwhile. */
        REBASE
    }
}
