package io.waybill.transport;

/**
 * Why a message was not accepted.
 *
 * @param reason for operators: what failed and what to do about it
 */
public record Failure(Kind kind, String reason) {

    public enum Kind {
        /** The next attempt may succeed. Counts as an attempt of the event. */
        TRANSIENT,
        /** As far as the transport can tell, the message can never be accepted: it is too large, or its topic name is invalid. */
        PERMANENT,
        /**
         * The destination accepts no messages: the topic is missing, the relay may not write to it, or no queue receives its messages. An
         * operator must fix that. Does not count as an attempt: the key waits, and other destinations are not affected.
         */
        DESTINATION,
        /** The broker is unreachable, has no leader or timed out. Does not count as an attempt. */
        OUTAGE,
        /** Another message sent together with this one failed. Does not count as an attempt; the message is sent again, alone. */
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
