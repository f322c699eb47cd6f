package io.waybill.transport.support;

import org.jspecify.annotations.Nullable;

/**
 * One connection to a broker, from its opening to its first fault; then it is thrown away, and everything on it without an
 * answer fails. One thread publishes; any thread may end it.
 */
public interface BrokerConnection {
    boolean isOpen();

    /** Sends the message; it is told what became of it by this link, or given up on by the {@link ConfirmedSender}. */
    void publish(PendingMessage message);

    /** When the broker last said anything about a message, or the link was opened; as {@link System#nanoTime()}. */
    long heardAt();

    /** Since when one write has been going on; 0 when none is. */
    default long writingSince() {
        return 0;
    }

    /** Why the broker takes nothing at present, if so. */
    default @Nullable String blocked() {
        return null;
    }

    /** Ends the link at once. */
    void lose(String reason);

    /** Ends the link in order; nothing is on its way any more, or nobody cares. */
    void close();
}
