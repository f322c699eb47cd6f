package io.waybill.jdbc.internal.assumption;

/**
 * An assumption of an engine that does not hold on a database.
 *
 * @param message the problem and its remedy
 */
public record Violation(Concern concern, String message) {
    /** The part of the system that must be corrected. */
    public enum Concern {
        /** The connections of relays. Services can write events through their own connections. */
        RELAY,
        /** The tables. */
        TABLES,
        /** The tables. {@code waybill schema rebase} repairs them, and services can write events in the meantime. */
        REBASE
    }
}
