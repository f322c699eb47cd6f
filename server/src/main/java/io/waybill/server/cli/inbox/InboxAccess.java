package io.waybill.server.cli.inbox;

import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.util.List;
import javax.sql.DataSource;

/** Opens the inbox after checking its schema. */
final class InboxAccess {
    private InboxAccess() {}

    static JdbcInbox open(OutboxDatabase database) {
        DataSource source = database.direct();
        database.ping(source);
        requireNone(database, InboxSchema.problems(source));
        return JdbcInbox.on(source);
    }

    static void requireNone(OutboxDatabase database, List<String> problems) {
        if (!problems.isEmpty()) {
            throw new Problem(
                    Exit.DATABASE,
                    "The inbox in " + database.address() + " cannot be used: " + String.join(" ", problems));
        }
    }
}
