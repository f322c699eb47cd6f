package io.waybill.jdbc.layout;

import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Removes old finished rows from the served table, or moves them to an archive: one statement, so that a row is in one of the
 * tables at any time. Rows that are locked are left for a later run.
 *
 * @param sql binds the age in milliseconds and the largest number of rows, and selects the number of removed rows
 */
record RowRetention(String sql) {

    static RowRetention of(Connection connection, ServedTable table) throws SQLException {
        Layout layout = table.layout();
        String id = layout.required("id").text();
        String since = layout.required("finished-at").text();
        String old =
                "WITH waybill_old AS (DELETE FROM " + layout.table() + " t WHERE t." + id + " = ANY (ARRAY(SELECT f."
                        + id + " FROM " + layout.table() + " f WHERE ("
                        + layout.required("finished").text() + ") AND " + since
                        + " < now() - ? * interval '1 millisecond' ORDER BY " + since
                        + " LIMIT ? FOR UPDATE SKIP LOCKED)) RETURNING t.*)";
        if (layout.archive().isEmpty()) {
            return new RowRetention(old + " SELECT count(*) FROM waybill_old");
        }
        String archive = layout.archive().get();
        List<String> common = new ArrayList<>(table.columns());
        common.retainAll(ServedTable.columns(connection, archive).keySet());
        List<String> lost = lost(table, common);
        if (!lost.isEmpty()) {
            throw new StoreException(
                    "Cannot move finished rows of " + layout.table() + ": its archive " + archive
                            + " does not exist or lacks the columns " + String.join(", ", lost)
                            + ". `waybill layout check` prints the remedy. No row was removed.",
                    null);
        }
        String columns = "\"" + String.join("\", \"", common) + "\"";
        return new RowRetention(old + ", waybill_archived AS (INSERT INTO " + archive + " (" + columns + ") SELECT "
                + columns + " FROM waybill_old) SELECT count(*) FROM waybill_old");
    }

    /** Returns the columns of the table that would be lost if only these were archived. */
    static List<String> lost(ServedTable table, List<String> archived) {
        List<String> lost = new ArrayList<>(table.columns());
        lost.removeAll(archived);
        lost.remove("waybill_seq"); // orders the rows that wait
        return lost;
    }
}
