package io.waybill.jdbc.inbox;

import io.waybill.inbox.InboxStatus;
import io.waybill.inbox.InboxView;
import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.Transactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the status of consumer groups from the inbox tables. */
public final class JdbcInboxView implements InboxView {
    private final Transactions database;

    JdbcInboxView(Transactions database) {
        this.database = database;
    }

    @Override
    public List<InboxStatus> status() {
        return read(null);
    }

    @Override
    public InboxStatus status(String group) {
        return read(group).stream()
                .findFirst()
                .orElse(new InboxStatus(group, 0, 0, 0, Duration.ZERO, null, 0, null, null));
    }

    private List<InboxStatus> read(@Nullable String group) {
        return database.transaction(
                "read the inbox's status",
                connection -> InboxStatement.query(
                        connection, "read the inbox's status", s -> s.status, JdbcInboxView::groups, group, group));
    }

    private static List<InboxStatus> groups(Dialect dialect, ResultSet row) throws SQLException {
        List<InboxStatus> groups = new ArrayList<>();
        while (row.next()) {
            Duration age = Duration.ofMillis(Math.max(0, Math.round(row.getDouble(5) * 1_000)));
            groups.add(new InboxStatus(
                    row.getString(1),
                    row.getLong(2),
                    row.getLong(3),
                    row.getLong(4),
                    age,
                    EventRows.instant(dialect, row, 6),
                    row.getLong(7),
                    EventRows.instant(dialect, row, 8),
                    row.getString(9)));
        }
        return groups;
    }
}
