package io.waybill.jdbc.internal.admin;

import io.waybill.admin.AuditEntry;
import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Writes and reads the audit of operator actions. */
public final class AuditRows {
    private AuditRows() {}

    /**
     * Records a decision and the events that it changed.
     *
     * @param insertDecision an INSERT of the decision, whose parameters are {@code values}
     * @param insertEvent an INSERT of the decision's id and the id of an event
     */
    public static void record(
            Sql sql, String insertDecision, String insertEvent, List<UUID> events, @Nullable Object... values)
            throws SQLException {
        long decision = sql.insertReturningId(insertDecision, values);
        List<List<@Nullable Object>> rows = new ArrayList<>();
        events.forEach(id -> rows.add(List.of(decision, id)));
        if (!rows.isEmpty()) {
            sql.updateEach(insertEvent, rows);
        }
    }

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

    /** The columns of the table alias {@code a} that {@link #readAll} reads. */
    static final String COLUMNS =
            "a.id, a.at, a.actor, a.action, a.reason, a.events, a.refused, a.action_id, a.origin, a.detail";

    /** Reads {@link #COLUMNS}. */
    static List<AuditEntry> readAll(Dialect dialect, ResultSet row) throws SQLException {
        List<AuditEntry> entries = new ArrayList<>();
        while (row.next()) {
            entries.add(new AuditEntry(
                    row.getLong(1),
                    EventRows.time(dialect, row, 2),
                    row.getString(3),
                    row.getString(4),
                    row.getString(5),
                    row.getInt(6),
                    row.getBoolean(7),
                    row.getString(8),
                    row.getString(9),
                    row.getString(10)));
        }
        return List.copyOf(entries);
    }
}
