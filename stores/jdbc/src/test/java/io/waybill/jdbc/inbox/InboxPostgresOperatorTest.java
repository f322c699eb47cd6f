package io.waybill.jdbc.inbox;

import io.waybill.testkit.inbox.InboxBackend;
import io.waybill.testkit.inbox.InboxOperatorContract;
import java.sql.Connection;

class InboxPostgresOperatorTest extends InboxOperatorContract<Connection> {
    @Override
    protected InboxBackend<Connection> open() {
        return new InboxPostgresBackend();
    }
}
