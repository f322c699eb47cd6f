package io.waybill.transport.support;

import org.jspecify.annotations.Nullable;

/**
 * One connection to a broker. It is used until its first error and then replaced; all its messages without a result fail. One
 * thread at a time publishes; any thread may abort the connection.
 */
public interface BrokerConnection {
    boolean isOpen();

    /** Sends the message. The connection completes it, or the {@link ConfirmedSender} fails it after the send timeout. */
    void publish(PendingMessage message);

    /** Returns when the broker last answered, or when the connection was opened, as {@link System#nanoTime()}. */
    long lastResponseAt();

    /** Returns when the current write began, as {@link System#nanoTime()}; 0 when no write is in progress. */
    default long writingSince() {
        return 0;
    }

    /** Returns why the broker currently accepts no messages; null when it accepts them. */
    default @Nullable String blockedReason() {
        return null;
    }

    /** Closes the connection at once and fails all messages on it with this reason. Does not block. */
    void abort(String reason);

    /** Closes the connection in an orderly way. */
    void close();
}
