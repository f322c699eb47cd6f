package io.waybill.jdbc.inbox;

import io.waybill.jdbc.MySqlDatabase;
import io.waybill.testkit.inbox.InboxBackend;
import io.waybill.testkit.inbox.InboxContract;
import java.sql.Connection;

class InboxMySqlTest extends InboxContract<Connection> {
    @Override
    protected InboxBackend<Connection> open() {
        return MySqlDatabase.inbox();
    }
}
