package io.waybill.jdbc.inbox;

import io.waybill.jdbc.MariaDbDatabase;
import io.waybill.testkit.inbox.InboxBackend;
import io.waybill.testkit.inbox.InboxOperatorContract;
import java.sql.Connection;

class InboxMariaDbOperatorTest extends InboxOperatorContract<Connection> {
    @Override
    protected InboxBackend<Connection> open() {
        return MariaDbDatabase.inbox();
    }
}
