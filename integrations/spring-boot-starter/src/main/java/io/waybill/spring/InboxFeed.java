package io.waybill.spring;

import io.waybill.inbox.Inbox;

/** Brings events to an inbox. */
@FunctionalInterface
interface InboxFeed {
    /** No broker: the relay of this application brings them; only what is due again is looked for. */
    InboxFeed IN_PROCESS = inbox -> {
        inbox.start();
        return inbox;
    };

    /** Begins, and returns what to close at the end. */
    AutoCloseable open(Inbox<?> inbox);
}
