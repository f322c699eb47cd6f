package io.waybill.jdbc.inbox;

import io.waybill.jdbc.H2Database;
import io.waybill.testkit.inbox.InboxBackend;
import io.waybill.testkit.inbox.InboxOperatorContract;
import java.sql.Connection;

class InboxH2OperatorTest extends InboxOperatorContract<Connection> {
    @Override
    protected InboxBackend<Connection> open() {
        return H2Database.inbox();
    }
}
