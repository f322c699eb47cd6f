package io.waybill.jdbc.inbox;

import io.waybill.jdbc.MariaDbDatabase;
import io.waybill.testkit.inbox.InboxBackend;
import io.waybill.testkit.inbox.InboxContract;
import java.sql.Connection;

class InboxMariaDbTest extends InboxContract<Connection> {
    @Override
    protected InboxBackend<Connection> open() {
        return MariaDbDatabase.inbox();
    }
}
