package io.waybill.mongodb.inbox;

import com.mongodb.client.ClientSession;
import io.waybill.testkit.inbox.InboxBackend;
import io.waybill.testkit.inbox.InboxContract;

class MongoInboxTest extends InboxContract<ClientSession> {
    @Override
    protected InboxBackend<ClientSession> open() {
        return new MongoInboxBackend();
    }
}
