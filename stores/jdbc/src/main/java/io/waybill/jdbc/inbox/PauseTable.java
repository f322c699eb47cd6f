package io.waybill.jdbc.inbox;

import io.waybill.jdbc.internal.sql.Transactions;
import java.time.Duration;

/** The table of paused consumers; {@link JdbcInboxView} reads it. */
final class PauseTable {
    private PauseTable() {}

    static void show(
            Transactions database, String group, String consumer, Duration lasts, String reason, Duration valid) {
        String what = "show the pause of group " + group;
        database.transaction(what, connection -> {
            int updated =
                    InboxStatement.update(connection, what, s -> s.updatePause, lasts, reason, valid, group, consumer);
            return updated == 1
                    || InboxStatement.insert(
                            connection, what, s -> s.insertPause, group, consumer, lasts, reason, valid);
        });
    }

    static void end(Transactions database, String group, String consumer) {
        String what = "end the pause of group " + group;
        database.transaction(
                what, connection -> InboxStatement.update(connection, what, s -> s.endPause, group, consumer));
    }
}
