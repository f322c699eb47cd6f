package io.waybill.spring.internal.inbox;

import io.waybill.Outbox;
import io.waybill.inbox.InboxBuilder;
import io.waybill.inbox.InboxDeadLetters;
import io.waybill.inbox.InboxView;

/**
 * The application's inbox in its database.
 *
 * @param <T> the transaction that handlers join
 */
public interface StoredInbox<T> {
    Class<T> transactionType();

    InboxView view();

    InboxDeadLetters deadLetters();

    /** Returns the outbox that stores dead letters that are published. */
    Outbox<T> outbox();

    /**
     * Checks or creates the tables, and returns a builder whose handlers run in new Spring transactions.
     *
     * @throws io.waybill.spring.internal.start.StartFailure when the tables are missing, or the application's transaction manager does
     *     not begin transactions of this database
     */
    InboxBuilder<T> builder(String group);
}
