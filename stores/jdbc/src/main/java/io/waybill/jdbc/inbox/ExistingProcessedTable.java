package io.waybill.jdbc.inbox;

import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.inbox.InboxStore.Admission;
import io.waybill.jdbc.internal.sql.JsonValue;
import io.waybill.jdbc.internal.sql.Sql;
import java.sql.Connection;
import java.sql.ResultSetMetaData;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A table of processed events that existed before Waybill. It has a unique column {@code event_id} of type uuid. The columns that
 * {@link #value} names are filled; all others are null or have defaults. The ids in it count as processed, and the inbox adds the
 * ids that it processes, in the same transaction. Old and new consumers can therefore run side by side, and you can return to the
 * old consumer.
 */
final class ExistingProcessedTable {
    private static final Set<String> TEXTS = Set.of("text", "varchar", "character varying", "character large object");
    private static final Set<String> JSONS = Set.of("json", "jsonb");

    private final String table;
    private volatile @Nullable List<Column> filled;

    private record Column(String name, boolean json) {}

    ExistingProcessedTable(String table) {
        if (!table.matches(Sql.IDENTIFIER + "\\." + Sql.IDENTIFIER)) {
            throw new WaybillException("The name of the table of processed events must be schema.table, not '" + table
                    + "', because the inbox may have a table of the same name.");
        }
        this.table = table;
    }

    /** Returns DUPLICATE if the inbox has admitted the event but this table contains its id. */
    Admission admit(Connection connection, String group, Event event, Admission own) {
        return own == Admission.ADMITTED && !mark(connection, group, event) ? Admission.DUPLICATE : own;
    }

    private boolean mark(Connection connection, String group, Event event) {
        StringBuilder names = new StringBuilder("event_id");
        StringBuilder places = new StringBuilder("?");
        List<@Nullable Object> values = new ArrayList<>();
        values.add(event.id());
        for (Column column : columns(connection)) {
            names.append(", ").append(column.name);
            places.append(", ?");
            String value = value(column.name, group, event);
            values.add(column.json && value != null ? new JsonValue(value) : value);
        }
        return InboxStatement.insert(
                connection,
                "mark event " + event.id() + " in " + table,
                "INSERT INTO " + table + " (" + names + ") VALUES (" + places + ")",
                values.toArray());
    }

    private static @Nullable String value(String column, String group, Event event) {
        return switch (column) {
            case "consumer_name", "consumer_group" -> group;
            case "source_topic", "topic" -> event.destination();
            case "event_type" -> event.type();
            case "entity_id", "aggregate_id" -> event.key();
            case "payload" -> event.payload();
            default -> null;
        };
    }

    /** Returns the columns to fill: those whose names say what they mean, and whose types take it. */
    private List<Column> columns(Connection connection) {
        List<Column> known = filled;
        if (known == null) {
            Event sample = Event.of("type", "aggregate", "key", "{}");
            known = InboxStatement.query(
                    connection, "look at " + table, "SELECT * FROM " + table + " WHERE 1 = 0", (dialect, row) -> {
                        ResultSetMetaData columns = row.getMetaData();
                        List<Column> found = new ArrayList<>();
                        for (int i = 1; i <= columns.getColumnCount(); i++) {
                            String name = columns.getColumnName(i).toLowerCase(Locale.ROOT);
                            String type = columns.getColumnTypeName(i).toLowerCase(Locale.ROOT);
                            boolean json = JSONS.contains(type) && name.equals("payload");
                            if (value(name, "group", sample) != null && (json || TEXTS.contains(type))) {
                                found.add(new Column(name, json));
                            }
                        }
                        return found;
                    });
            filled = known;
        }
        return known;
    }

    void unmark(Connection connection, UUID id) {
        InboxStatement.update(
                connection,
                "remove the mark of event " + id + " from " + table,
                "DELETE FROM " + table + " WHERE event_id = ?",
                id);
    }
}
