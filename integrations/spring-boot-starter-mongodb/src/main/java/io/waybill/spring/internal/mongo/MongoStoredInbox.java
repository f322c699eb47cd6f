package io.waybill.spring.internal.mongo;

import com.mongodb.client.ClientSession;
import io.waybill.Outbox;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxBuilder;
import io.waybill.inbox.InboxDeadLetters;
import io.waybill.inbox.InboxView;
import io.waybill.mongodb.MongoOutbox;
import io.waybill.mongodb.inbox.MongoInbox;
import io.waybill.spring.internal.inbox.StoredInbox;

/** The inbox in the application's MongoDB. */
record MongoStoredInbox(
        MongoAtStart schema, MongoInbox collections, MongoOutbox mongoOutbox, SessionTransactions transactions)
        implements StoredInbox<ClientSession> {
    @Override
    public Class<ClientSession> transactionType() {
        return ClientSession.class;
    }

    @Override
    public InboxView view() {
        return collections.view();
    }

    @Override
    public InboxDeadLetters deadLetters() {
        return collections.deadLetters();
    }

    @Override
    public Outbox<ClientSession> outbox() {
        return mongoOutbox;
    }

    @Override
    public InboxBuilder<ClientSession> builder(String group) {
        schema.inbox();
        return Inbox.builder(collections.store(), group).transactions(transactions);
    }
}
