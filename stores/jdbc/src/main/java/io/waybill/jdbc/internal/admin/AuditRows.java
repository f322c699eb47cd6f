package io.waybill.jdbc.internal.admin;

import io.waybill.admin.AuditEntry;
import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.sql.Dialect;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** What operators did, as rows. */
public final class AuditRows {
    private AuditRows() {}

    /** Reads id, time, actor, action, reason and number of events. */
    public static List<AuditEntry> read(Dialect dialect, ResultSet row) throws SQLException {
        List<AuditEntry> entries = new ArrayList<>();
        while (row.next()) {
            entries.add(new AuditEntry(
                    row.getLong(1),
                    EventRows.time(dialect, row, 2),
                    row.getString(3),
                    row.getString(4),
                    row.getString(5),
                    row.getInt(6)));
        }
        return List.copyOf(entries);
    }
}
