package io.waybill.server.http.overview;

/**
 * A reason why events do not move.
 *
 * @param sentence describes the problem, with its numbers
 * @param remedy what to do
 * @param page the page of the console that shows more
 */
public record Reason(Code code, Severity severity, String sentence, String remedy, String page) {

    /** A stable word for programs. */
    public enum Code {
        NO_RELAY,
        RELAYS_NOT_SERVING,
        PAUSED,
        LANES_WITHOUT_OWNER,
        BACKLOG,
        KEYS_BLOCKED,
        RETRYING,
        DEAD_LETTERS,
        WARNING,
        INBOX_PAUSED,
        INBOX_DEAD_LETTERS,
        SAGAS_STUCK
    }

    /** How severe the reason is. */
    public enum Severity {
        /** No event moves. */
        ERROR,
        /** Some events do not move, or need a decision. */
        WARNING,
        /** The events will move without a decision. */
        INFO
    }
}
