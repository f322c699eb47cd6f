package io.waybill.jdbc.layout;

import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The SQL statements of a layout. Expressions of the layout are evaluated only where no other table is in scope, or where
 * all other names begin with {@code waybill_}, so that they cannot refer to a column of Waybill's tables by accident.
 */
final class LayoutSql {
    private static final String UUID_TEXT = "'^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'";

    private final ServedTable table;
    private final String from;
    private final String id;
    private final String uuid;
    private final String byIds;
    private final String waiting;
    private final EventExpressions event;

    LayoutSql(ServedTable table) {
        Layout layout = table.layout();
        this.table = table;
        this.from = layout.table() + " t";
        this.id = "t." + layout.required("id").text();
        this.uuid = uuid();
        this.byIds = id + " = ANY (CAST(? AS " + table.idType() + "[]))";
        this.waiting = "(" + layout.required("waiting").text() + ")";
        this.event = new EventExpressions(table, id);
    }

    /**
     * The id of the event: the id of the row if that is a UUID, otherwise a UUID derived from it. A row always gets the same
     * event id.
     */
    private String uuid() {
        String derived =
                "CAST(md5('" + table.layout().table().replace("'", "''") + ":' || CAST(" + id + " AS text)) AS uuid)";
        if (table.sameIds()) {
            return id;
        }
        return table.idType().equals("text") || table.idType().startsWith("character")
                ? "CASE WHEN " + id + " ~ " + UUID_TEXT + " THEN CAST(" + id + " AS uuid) ELSE " + derived + " END"
                : derived;
    }

    /** Selects a row if any waiting row is not imported. */
    String anyWaiting() {
        return "SELECT 1 FROM " + from + " WHERE " + waiting + notImported() + " LIMIT 1";
    }

    /** Selects the number of waiting rows that are not imported, and the age of the oldest in seconds. */
    String countNotImported() {
        return "SELECT count(*), coalesce(extract(epoch FROM clock_timestamp() - min(o.waybill_created)), 0) FROM (SELECT "
                + event.created() + " AS waybill_created FROM " + from + " WHERE " + waiting + notImported() + ") o";
    }

    /** Selects the next rows to import, in order: the ids of the rows as text, and the ids of their events. */
    String nextRows() {
        return "SELECT CAST(" + id + " AS text), " + uuid + " FROM " + from + " WHERE " + waiting + notImported()
                + order() + " LIMIT ?";
    }

    private String notImported() {
        return " AND NOT EXISTS (SELECT 1 FROM outbox_events k WHERE k.id = " + uuid + ")";
    }

    /** The query that needs an index of waiting rows. */
    String indexedScan() {
        return "SELECT 1 FROM " + from + " WHERE " + waiting + order() + " LIMIT 1000";
    }

    String order() {
        return " ORDER BY "
                + table.order().stream().map(column -> "t." + column).collect(Collectors.joining(", "));
    }

    /** Copies rows, in order, into the queue. */
    String importRows() {
        return "INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, event_version, topic, headers,"
                + " occurred_at, created_at, payload) SELECT " + uuid + ", " + String.join(", ", event.columns())
                + " FROM "
                + from
                + " WHERE " + byIds + order() + " ON CONFLICT DO NOTHING";
    }

    /** Updates a dead letter, which keeps its place, with the current content of its row. */
    String refresh() {
        return "UPDATE outbox_events e SET (event_type, topic, headers, payload) = (SELECT " + event.type() + ", "
                + event.topic() + ", " + event.headers() + ", " + event.payload() + " FROM " + from + " WHERE " + uuid
                + " = e.id) WHERE e.id = ? AND e.dead_at IS NOT NULL";
    }

    /**
     * Copies an unreadable row, converted to JSON, into the queue as a dead letter. The dead letter has an event type of its
     * own, so that it reaches no topic of the application.
     */
    String importUnreadable() {
        return "INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, payload, state, processed_at,"
                + " dead_at, last_error) SELECT " + uuid + ", 'unreadable', CAST(" + id
                + " AS text), 'waybill.unreadable', row_to_json(t), 'DEAD_LETTER', now(), now(), ? FROM " + from
                + " WHERE " + byIds + " ON CONFLICT DO NOTHING";
    }

    /**
     * Selects rows of dead letters that the application has set back to waiting: their ids as text, and the ids of the
     * events.
     */
    String returned() {
        String finished = "(k.processed_at IS NOT NULL OR k.dead_at IS NOT NULL) AND " + PendingWriteBacks.NOT_PENDING;
        String known = table.sameIds()
                ? "SELECT k.id FROM outbox_events k WHERE " + finished
                : "SELECT CAST(s.source_id AS " + table.idType()
                        + ") FROM outbox_sources s JOIN outbox_events k ON k.id = s.id"
                        + " WHERE " + finished;
        return "SELECT CAST(" + id + " AS text), " + uuid + " FROM " + from + " WHERE " + id + " IN (" + known
                + ") AND " + waiting + " LIMIT 1000";
    }

    /** Selects the given rows that wait, and returns their ids as text. */
    String stillWaiting() {
        return "SELECT CAST(" + id + " AS text) FROM " + from + " WHERE " + byIds + " AND " + waiting;
    }

    /** Marks rows as claimed, except locked ones; null if the layout has no such mark. Binds the row ids twice. */
    @Nullable
    String claim() {
        String changes = changes(RowTransition.CLAIM);
        return changes.isEmpty() ? null : "WITH " + lockable() + " UPDATE " + from + " SET " + changes + ofLockable();
    }

    /**
     * Records that events are published. Returns the id of each changed row, as text, and whether the row still waits. Skips
     * rows that the application has locked. Binds the row ids twice.
     */
    String success() {
        return table.layout().deletes(RowTransition.SUCCESS)
                ? returningEach("DELETE FROM " + from + ofLockable() + " RETURNING CAST(" + id + " AS text), false")
                : returningEach("UPDATE " + from + " SET " + changes(RowTransition.SUCCESS) + ofLockable()
                        + " RETURNING CAST(" + id + " AS text), " + waiting);
    }

    /**
     * As {@link #success}, for failures and dead letters. It writes the values of Waybill's own row, so that writing twice
     * has no further effect; null if there is nothing to write. Binds the row ids, the event ids and the row ids again.
     */
    @Nullable
    String failureOrDead(RowTransition step) {
        String returning = " RETURNING CAST(" + id + " AS text), ";
        if (step == RowTransition.DEAD && table.layout().deletes(step)) {
            return returningEach("DELETE FROM " + from + " USING " + waybillValues() + returning + "false");
        }
        String changes = changes(step);
        return changes.isEmpty()
                ? null
                : returningEach(
                        "UPDATE " + from + " SET " + changes + " FROM " + waybillValues() + returning + waiting);
    }

    /**
     * Locks the given rows, except those that are locked already. Locking needs the UPDATE privilege; without it, the change
     * waits for locks.
     */
    private String lockable() {
        String column = table.layout().required("id").text();
        String lock = !table.lockable()
                ? ""
                : table.layout().deletes(RowTransition.SUCCESS)
                                || table.layout().deletes(RowTransition.DEAD)
                        ? " FOR UPDATE SKIP LOCKED"
                        : " FOR NO KEY UPDATE SKIP LOCKED";
        return "waybill_lockable AS MATERIALIZED (SELECT f." + column + " AS waybill_id FROM "
                + table.layout().table()
                + " f WHERE f." + column + " = ANY (CAST(? AS " + table.idType() + "[]))" + lock + ")";
    }

    private String ofLockable() {
        return " WHERE " + byIds + " AND " + id + " IN (SELECT waybill_id FROM waybill_lockable)";
    }

    private String returningEach(String change) {
        return "WITH " + lockable() + ", waybill_done (raw, waits) AS (" + change
                + ") SELECT raw, waits FROM waybill_done";
    }

    /** Selects a waiting row for a trial, if possible one that is not locked. */
    String trialRow() {
        return "SELECT CAST(" + id + " AS text) FROM " + from + " WHERE " + waiting + order() + " LIMIT 1"
                + (table.layout().deletes(RowTransition.SUCCESS) ? "" : " FOR UPDATE SKIP LOCKED"); // needs UPDATE
    }

    /** Reads the row of a trial as an event. */
    String trialRead() {
        return "SELECT " + uuid + ", " + String.join(", ", event.columns()) + " FROM " + from + " WHERE " + byIds
                + order();
    }

    /** As {@link #failureOrDead}, with sample values for the attempts and the error. */
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

    private String waybillValues() {
        return "(SELECT s.raw AS waybill_raw, e.retry_count AS waybill_attempts, e.last_error AS waybill_error,"
                + " e.next_attempt_at AS waybill_next_attempt_at"
                + " FROM unnest(CAST(? AS uuid[]), CAST(? AS text[])) AS s (id, raw) JOIN outbox_events e ON e.id = s.id) w"
                + " WHERE " + id + " = CAST(w.waybill_raw AS " + table.idType()
                + ") AND " + id + " IN (SELECT waybill_id FROM waybill_lockable)";
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

    /** Truncates an error to the length of its column: a long error must not prevent the settlement. */
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
