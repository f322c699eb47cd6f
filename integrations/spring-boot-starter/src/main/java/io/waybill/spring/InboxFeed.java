package io.waybill.spring;

import io.waybill.inbox.Inbox;

/**
 * Reads events from a broker and passes them to the application's inbox. The starter has one for each of its brokers; with a {@code
 * Transport} bean of your own, define the matching feed as a bean.
 */
@FunctionalInterface
public interface InboxFeed {
    /** No broker: the application's own relay delivers events, and the inbox retries those that are due. */
    InboxFeed IN_PROCESS = inbox -> {
        inbox.start();
        return inbox;
    };

    /**
     * Starts to pass events to the inbox ({@link Inbox#handle}), and starts the inbox's background work ({@link Inbox#start()}).
     *
     * @return the consumer; the application closes it when it stops, and close waits for running handlers
     */
    AutoCloseable open(Inbox<?> inbox);
}
