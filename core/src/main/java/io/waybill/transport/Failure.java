package io.waybill.transport;

/**
 * Why a message was not accepted.
 *
 * @param reason for a person: what happened, to which thing, and what to do
 */
public record Failure(Kind kind, String reason) {

    public enum Kind {
        /** May work next time; counts as an attempt of the event. */
        TRANSIENT,
        /** Will never work for this message, as far as the transport can tell: too large, illegal topic. */
        PERMANENT,
        /**
         * The destination, not the message: the topic is missing, or the relay may not write to it, or no queue takes its messages.
         * An operator can repair that. Counts no attempt: the key waits, and other destinations go on.
         */
        DESTINATION,
        /** The broker, not the message: unreachable, no leader, timed out. Counts no attempt. */
        OUTAGE,
        /** Nothing is known against the message: another one sent along with it failed. Counts no attempt, sent again alone. */
        ABANDONED
    }

    public static Failure transientFailure(String reason) {
        return new Failure(Kind.TRANSIENT, reason);
    }

    public static Failure permanent(String reason) {
        return new Failure(Kind.PERMANENT, reason);
    }

    public static Failure destination(String reason) {
        return new Failure(Kind.DESTINATION, reason);
    }

    public static Failure abandoned(String reason) {
        return new Failure(Kind.ABANDONED, reason);
    }

    public static Failure outage(String reason) {
        return new Failure(Kind.OUTAGE, reason);
    }
}
