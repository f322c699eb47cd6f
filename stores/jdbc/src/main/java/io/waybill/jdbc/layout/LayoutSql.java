package io.waybill.jdbc.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The statements that a layout means for its table. An expression of the layout is always evaluated where that table alone is in
 * sight, or where all other names begin with {@code waybill_}: it cannot hit a column of Waybill's by chance.
 */
final class LayoutSql {
    private static final String UUID_TEXT = "'^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'";

    private final ServedTable table;
    private final String from;
    private final String id;
    private final String uuid;
    private final String byIds;
    private final String waiting;

    LayoutSql(ServedTable table) {
        Layout layout = table.layout();
        this.table = table;
        this.from = layout.table() + " t";
        this.id = "t." + layout.required("id").text();
        this.uuid = uuid();
        this.byIds = id + " = ANY (CAST(? AS " + table.idType() + "[]))";
        this.waiting = "(" + layout.required("waiting").text() + ")";
    }

    /** The event's id: the row's own, or one that is always the same for this row. */
    private String uuid() {
        String made =
                "CAST(md5('" + table.layout().table().replace("'", "''") + ":' || CAST(" + id + " AS text)) AS uuid)";
        if (table.sameIds()) {
            return id;
        }
        return table.idType().equals("text") || table.idType().startsWith("character")
                ? "CASE WHEN " + id + " ~ " + UUID_TEXT + " THEN CAST(" + id + " AS uuid) ELSE " + made + " END"
                : made;
    }

    /** Whether anything waits that was not taken in. */
    String anyWaiting() {
        return "SELECT 1 FROM " + from + " WHERE " + waiting + unknown() + " LIMIT 1";
    }

    /** How many rows wait that were not taken in, and the age of the oldest in seconds. */
    String outside() {
        return "SELECT count(*), coalesce(extract(epoch FROM clock_timestamp() - min(o.waybill_created)), 0) FROM (SELECT "
                + created() + " AS waybill_created FROM " + from + " WHERE " + waiting + unknown() + ") o";
    }

    /** The next rows to take in, in order: their ids as text, and those of the events. */
    String next() {
        return "SELECT CAST(" + id + " AS text), " + uuid + " FROM " + from + " WHERE " + waiting + unknown() + order()
                + " LIMIT ?";
    }

    private String unknown() {
        return " AND NOT EXISTS (SELECT 1 FROM outbox_events k WHERE k.id = " + uuid + ")";
    }

    /** What the index for waiting rows must serve. */
    String scan() {
        return "SELECT 1 FROM " + from + " WHERE " + waiting + order() + " LIMIT 1000";
    }

    String order() {
        return " ORDER BY "
                + table.order().stream().map(column -> "t." + column).collect(Collectors.joining(", "));
    }

    /** Copies rows, in order, as events that wait. */
    String take() {
        return "INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, event_version, topic, headers,"
                + " occurred_at, created_at, payload) SELECT " + uuid + ", " + String.join(", ", parts()) + " FROM "
                + from
                + " WHERE " + byIds + order() + " ON CONFLICT DO NOTHING";
    }

    /** Gives a dead letter, which keeps its place, what its row says now. */
    String refresh() {
        return "UPDATE outbox_events e SET (event_type, topic, headers, payload) = (SELECT " + text("type", "''") + ", "
                + topic() + ", " + headers() + ", " + payload() + " FROM " + from + " WHERE " + uuid
                + " = e.id) WHERE e.id = ? AND e.dead_at IS NOT NULL";
    }

    private List<String> parts() {
        String created = created();
        return List.of(
                text("aggregate-type", "'event'"),
                // An event without a key is a key of its own.
                "coalesce(nullif(" + text("key", "''") + ", ''), CAST(" + id + " AS text))",
                text("type", "''"),
                table.part("version")
                        .map(value -> "coalesce(CAST(" + value.text() + " AS integer), 1)")
                        .orElse("1"),
                topic(),
                headers(),
                created,
                created,
                payload());
    }

    private String text(String key, String otherwise) {
        return table.part(key)
                .map(value -> "CAST(" + value.text() + " AS text)")
                .orElse(otherwise);
    }

    private String topic() {
        return text("topic", "CAST(NULL AS text)");
    }

    private String payload() {
        return "CAST(" + table.layout().required("payload").text() + " AS json)";
    }

    private String headers() {
        @Nullable
        String column = table.part("headers")
                .map(value -> "nullif(CAST(" + value.text() + " AS text), '')")
                .orElse(null);
        List<String> fixed = new ArrayList<>();
        table.layout().below("header").forEach((name, value) -> {
            if (table.readable(value)) {
                fixed.add("'" + name.replace("'", "''") + "', CAST(" + value.text() + " AS text)");
            }
        });
        if (fixed.isEmpty()) {
            return column == null ? "CAST(NULL AS json)" : "CAST(" + column + " AS json)";
        }
        String object = "jsonb_build_object(" + String.join(", ", fixed) + ")";
        return "CAST("
                + (column == null ? object : "coalesce(CAST(" + column + " AS jsonb), '{}') || " + object)
                + " AS json)";
    }

    /** A time without a zone is UTC. */
    private String created() {
        return table.part("created")
                .map(value -> {
                    boolean zoneless = value.isColumn()
                            && table.column(value.text())
                                    .filter(column -> column.type().equals("timestamp without time zone"))
                                    .isPresent();
                    return "coalesce("
                            + (zoneless
                                    ? value.text() + " AT TIME ZONE 'UTC'"
                                    : "CAST(" + value.text() + " AS timestamptz)")
                            + ", clock_timestamp())";
                })
                .orElse("clock_timestamp()");
    }

    /** A row that cannot be read as an event: all of it, as a dead letter that reaches no topic of anybody's. */
    String unreadable() {
        return "INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, payload, state, processed_at,"
                + " dead_at, last_error) SELECT " + uuid + ", 'unreadable', CAST(" + id
                + " AS text), 'waybill.unreadable', row_to_json(t), 'DEAD_LETTER', now(), now(), ? FROM " + from
                + " WHERE " + byIds + " ON CONFLICT DO NOTHING";
    }

    /** Rows whose dead letters their owner has set back to waiting: as text, with the events' ids. */
    String returned() {
        String finished = "(k.processed_at IS NOT NULL OR k.dead_at IS NOT NULL) AND " + PendingWriteBacks.NOT_OWED;
        String known = table.sameIds()
                ? "SELECT k.id FROM outbox_events k WHERE " + finished
                : "SELECT CAST(s.source_id AS " + table.idType()
                        + ") FROM outbox_sources s JOIN outbox_events k ON k.id = s.id"
                        + " WHERE " + finished;
        return "SELECT CAST(" + id + " AS text), " + uuid + " FROM " + from + " WHERE " + id + " IN (" + known
                + ") AND " + waiting + " LIMIT 1000";
    }

    /** Of these rows, those that wait, as text. */
    String stillWaiting() {
        return "SELECT CAST(" + id + " AS text) FROM " + from + " WHERE " + byIds + " AND " + waiting;
    }

    /** Marks rows as taken in, except those that are locked; null when the layout has no mark for that. Binds the ids twice. */
    @Nullable
    String claim() {
        String changes = changes(RowTransition.CLAIM);
        return changes.isEmpty() ? null : "WITH " + free() + " UPDATE " + from + " SET " + changes + ofFree();
    }

    /**
     * Returns each row that it changed, as text, and whether that row still waits. A row that the application has locked is
     * left out, never waited for. Binds the ids twice.
     */
    String success() {
        return table.layout().deletes(RowTransition.SUCCESS)
                ? eachDone("DELETE FROM " + from + ofFree() + " RETURNING CAST(" + id + " AS text), false")
                : eachDone("UPDATE " + from + " SET " + changes(RowTransition.SUCCESS) + ofFree() + " RETURNING CAST("
                        + id + " AS text), " + waiting);
    }

    /**
     * The same with what Waybill's own row says by now, so that it may be written twice; null when nothing is to be written. Binds
     * the rows' ids, the events' ids and the rows' ids again.
     */
    @Nullable
    String other(RowTransition step) {
        String returning = " RETURNING CAST(" + id + " AS text), ";
        if (step == RowTransition.DEAD && table.layout().deletes(step)) {
            return eachDone("DELETE FROM " + from + " USING " + told() + returning + "false");
        }
        String changes = changes(step);
        return changes.isEmpty()
                ? null
                : eachDone("UPDATE " + from + " SET " + changes + " FROM " + told() + returning + waiting);
    }

    /** The rows that nobody has locked, locked by this. Locking takes UPDATE; with DELETE alone, a lock is waited for. */
    private String free() {
        String column = table.layout().required("id").text();
        String lock = !table.lockable()
                ? ""
                : table.layout().deletes(RowTransition.SUCCESS)
                                || table.layout().deletes(RowTransition.DEAD)
                        ? " FOR UPDATE SKIP LOCKED"
                        : " FOR NO KEY UPDATE SKIP LOCKED";
        return "waybill_free AS MATERIALIZED (SELECT f." + column + " AS waybill_id FROM "
                + table.layout().table()
                + " f WHERE f." + column + " = ANY (CAST(? AS " + table.idType() + "[]))" + lock + ")";
    }

    private String ofFree() {
        return " WHERE " + byIds + " AND " + id + " IN (SELECT waybill_id FROM waybill_free)";
    }

    private String eachDone(String change) {
        return "WITH " + free() + ", waybill_done (raw, waits) AS (" + change + ") SELECT raw, waits FROM waybill_done";
    }

    /** A row to try things on, which nobody else is at work on. */
    String trialRow() {
        return "SELECT CAST(" + id + " AS text) FROM " + from + " WHERE " + waiting + order() + " LIMIT 1"
                + (table.layout().deletes(RowTransition.SUCCESS)
                        ? ""
                        : " FOR UPDATE SKIP LOCKED"); // which takes UPDATE
    }

    /** Reads it as an event. */
    String trialRead() {
        return "SELECT " + uuid + ", " + String.join(", ", parts()) + " FROM " + from + " WHERE " + byIds + order();
    }

    /** As {@link #other}, with made-up values for what Waybill would say. */
    @Nullable
    String trial(RowTransition step) {
        if (table.layout().deletes(step)) {
            return counted("DELETE FROM " + from + " WHERE " + byIds + " RETURNING false");
        }
        String changes = changes(step);
        return changes.isEmpty()
                ? null
                : counted("UPDATE " + from + " SET " + changes
                        + " FROM (SELECT 1 AS waybill_attempts, CAST('tried' AS text)"
                        + " AS waybill_error, now() AS waybill_next_attempt_at) w WHERE " + byIds + " RETURNING "
                        + waiting);
    }

    private String told() {
        return "(SELECT s.raw AS waybill_raw, e.retry_count AS waybill_attempts, e.last_error AS waybill_error,"
                + " e.next_attempt_at AS waybill_next_attempt_at"
                + " FROM unnest(CAST(? AS uuid[]), CAST(? AS text[])) AS s (id, raw) JOIN outbox_events e ON e.id = s.id) w"
                + " WHERE " + id + " = CAST(w.waybill_raw AS " + table.idType()
                + ") AND " + id + " IN (SELECT waybill_id FROM waybill_free)";
    }

    private static String counted(String change) {
        return "WITH waybill_done (waits) AS (" + change
                + ") SELECT count(*), count(*) FILTER (WHERE waits) FROM waybill_done";
    }

    private String changes(RowTransition step) {
        return table.changes(step).entrySet().stream()
                .map(change -> change.getKey() + " = " + value(change))
                .collect(Collectors.joining(", "));
    }

    /** An error is cut to what its column takes: it must not keep an event from being settled. */
    private String value(Map.Entry<String, LayoutEntry> change) {
        Integer longest =
                table.column(change.getKey()).map(ServedTable.Column::longest).orElse(null);
        String error = longest == null ? "w.waybill_error" : "left(w.waybill_error, " + longest + ")";
        return change.getValue()
                .text()
                .replaceAll("(?<![:\\w]):error\\b", error)
                .replaceAll("(?<![:\\w]):(attempts|next_attempt_at)\\b", "w.waybill_$1");
    }
}
