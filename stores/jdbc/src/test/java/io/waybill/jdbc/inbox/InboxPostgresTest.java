package io.waybill.jdbc.inbox;

import io.waybill.testkit.inbox.InboxBackend;
import io.waybill.testkit.inbox.InboxContract;
import java.sql.Connection;

class InboxPostgresTest extends InboxContract<Connection> {
    @Override
    protected InboxBackend<Connection> open() {
        return new InboxPostgresBackend();
    }
}
