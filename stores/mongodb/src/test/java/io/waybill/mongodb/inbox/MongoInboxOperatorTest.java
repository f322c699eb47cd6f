package io.waybill.mongodb.inbox;

import com.mongodb.client.ClientSession;
import io.waybill.testkit.inbox.InboxBackend;
import io.waybill.testkit.inbox.InboxOperatorContract;

class MongoInboxOperatorTest extends InboxOperatorContract<ClientSession> {
    @Override
    protected InboxBackend<ClientSession> open() {
        return new MongoInboxBackend();
    }
}
