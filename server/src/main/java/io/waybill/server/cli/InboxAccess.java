package io.waybill.server.cli;

import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.server.Exit;
import io.waybill.server.Problem;
import io.waybill.server.database.OutboxDatabase;
import java.util.List;
import javax.sql.DataSource;

/** The inbox of a command, after its schema was found to be one that this version understands. */
final class InboxAccess {
    private InboxAccess() {}

    static JdbcInbox open(OutboxDatabase database) {
        DataSource source = database.direct();
        database.knock(source);
        demand(database, InboxSchema.problems(source));
        return JdbcInbox.on(source);
    }

    static void demand(OutboxDatabase database, List<String> problems) {
        if (!problems.isEmpty()) {
            throw new Problem(
                    Exit.DATABASE,
                    "The inbox in " + database.address() + " cannot be used: " + String.join(" ", problems));
        }
    }
}
