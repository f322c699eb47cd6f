package io.waybill.server.cli;

import io.waybill.jdbc.InboxSchema;
import io.waybill.jdbc.JdbcInbox;
import io.waybill.server.Exit;
import io.waybill.server.Problem;
import io.waybill.server.database.Database;
import java.util.List;
import javax.sql.DataSource;

/** The inbox of a command, after its schema was found to be one that this version understands. */
final class InboxAccess {
    private InboxAccess() {}

    static JdbcInbox open(Database database) {
        DataSource source = database.direct();
        database.knock(source);
        demand(database, InboxSchema.problems(source));
        return JdbcInbox.on(source);
    }

    static void demand(Database database, List<String> problems) {
        if (!problems.isEmpty()) {
            throw new Problem(
                    Exit.DATABASE,
                    "The inbox in " + database.address() + " cannot be used: " + String.join(" ", problems));
        }
    }
}
