package io.waybill.jdbc.inbox;

import io.waybill.WaybillException;
import io.waybill.inbox.InboxStore.Admission;
import io.waybill.jdbc.internal.sql.Sql;
import java.sql.Connection;
import java.util.UUID;

/**
 * A table of processed events that a consumer had before Waybill: {@code event_id}, unique, of type uuid, and whatever else has a
 * default. Its ids count as processed, and what the inbox processes is written there too, in the same transaction: old and new
 * consumers can run side by side, and one can go back.
 */
final class ExistingProcessedTable {
    private final String table;

    ExistingProcessedTable(String table) {
        if (!table.matches(Sql.IDENTIFIER + "\\." + Sql.IDENTIFIER)) {
            throw new WaybillException("The table of processed events must be schema.table, not '" + table
                    + "': the inbox has one of the same name.");
        }
        this.table = table;
    }

    /** What the inbox's own mark has admitted is a duplicate all the same when the id is in the table. */
    Admission admit(Connection connection, UUID id, Admission own) {
        return own == Admission.ADMITTED && !mark(connection, id) ? Admission.DUPLICATE : own;
    }

    private boolean mark(Connection connection, UUID id) {
        return InboxStatement.insert(
                connection, "mark event " + id + " in " + table, "INSERT INTO " + table + " (event_id) VALUES (?)", id);
    }

    void unmark(Connection connection, UUID id) {
        InboxStatement.update(
                connection,
                "take the mark of event " + id + " in " + table + " back",
                "DELETE FROM " + table + " WHERE event_id = ?",
                id);
    }
}
