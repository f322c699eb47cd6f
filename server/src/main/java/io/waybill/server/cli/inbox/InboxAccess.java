package io.waybill.server.cli.inbox;

import io.waybill.server.database.InboxOperations;
import io.waybill.server.database.OutboxDatabase;

/** Opens the inbox after checking its schema. */
final class InboxAccess {
    private InboxAccess() {}

    static InboxOperations open(OutboxDatabase database) {
        return InboxSchemaCommand.TABLES.requireValid(database).open();
    }
}
