package io.waybill.server.cli.inbox;

import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.server.database.OutboxDatabase;

/** Opens the inbox after checking its schema. */
final class InboxAccess {
    private InboxAccess() {}

    static JdbcInbox open(OutboxDatabase database) {
        return JdbcInbox.on(InboxSchemaCommand.TABLES.open(database));
    }
}
