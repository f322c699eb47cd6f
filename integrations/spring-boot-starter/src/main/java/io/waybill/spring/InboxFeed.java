package io.waybill.spring;

import io.waybill.inbox.Inbox;

/**
 * Brings events from a broker to the application's inbox. For Kafka the starter has one; with a {@code Transport} bean of your own,
 * define the feed that belongs to it as a bean.
 */
@FunctionalInterface
public interface InboxFeed {
    /** No broker: the relay of this application brings events; the inbox only looks for those that are due again. */
    InboxFeed IN_PROCESS = inbox -> {
        inbox.start();
        return inbox;
    };

    /**
     * Starts to hand events to the inbox ({@link Inbox#handle}), and the inbox's own background work ({@link Inbox#start()}).
     *
     * @return what to close when the application stops; it waits for the handlers that run
     */
    AutoCloseable open(Inbox<?> inbox);
}
