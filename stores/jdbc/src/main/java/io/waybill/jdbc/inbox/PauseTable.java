package io.waybill.jdbc.inbox;

import io.waybill.jdbc.internal.sql.Transactions;
import java.time.Duration;

/** The table of paused consumers; {@link JdbcInboxView} reads it. */
final class PauseTable {
    private static final String AGAIN = """
            UPDATE inbox_pauses SET paused_since = clock_timestamp() - ? * interval '1 second', reason = ?,
                   expires_at = clock_timestamp() + ? * interval '1 second'
            WHERE consumer_group = ? AND consumer = ?""";

    private static final String FIRST = """
            INSERT INTO inbox_pauses (consumer_group, consumer, paused_since, reason, expires_at)
            VALUES (?, ?, clock_timestamp() - ? * interval '1 second', ?, clock_timestamp() + ? * interval '1 second')""";

    /** Also removes the rows of consumers that died while they were paused. */
    private static final String END =
            "DELETE FROM inbox_pauses WHERE consumer_group = ? AND (consumer = ? OR expires_at <= clock_timestamp())";

    private PauseTable() {}

    static void show(
            Transactions database, String group, String consumer, Duration lasts, String reason, Duration valid) {
        String what = "show the pause of group " + group;
        database.transaction(what, connection -> {
            int updated = InboxStatement.update(connection, what, AGAIN, lasts, reason, valid, group, consumer);
            return updated == 1
                    || InboxStatement.insert(connection, what, FIRST, group, consumer, lasts, reason, valid);
        });
    }

    static void end(Transactions database, String group, String consumer) {
        String what = "end the pause of group " + group;
        database.transaction(what, connection -> InboxStatement.update(connection, what, END, group, consumer));
    }
}
