package io.waybill.jdbc.inbox;

import io.waybill.jdbc.MySqlDatabase;
import io.waybill.testkit.inbox.InboxBackend;
import io.waybill.testkit.inbox.InboxOperatorContract;
import java.sql.Connection;

class InboxMySqlOperatorTest extends InboxOperatorContract<Connection> {
    @Override
    protected InboxBackend<Connection> open() {
        return MySqlDatabase.inbox();
    }
}
