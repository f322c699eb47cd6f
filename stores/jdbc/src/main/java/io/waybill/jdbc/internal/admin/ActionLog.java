package io.waybill.jdbc.internal.admin;

import io.waybill.WaybillException;
import io.waybill.admin.Action;
import io.waybill.admin.ActionRefusedException;
import io.waybill.admin.ActionResult;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.SqlState;
import io.waybill.jdbc.internal.sql.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Executes operator actions, each in one transaction with its audit row.
 *
 * <p>The id of an action is unique in the audit. Of two concurrent calls with the same id, both may find no audit row and make their
 * changes. The second one then waits at its own audit row until the first one commits, fails because the id exists, and rolls back its
 * changes. It returns the result of the first call.
 */
final class ActionLog {
    private static final String INSERT = """
            INSERT INTO outbox_audit (actor, action, reason, events, action_id, origin, refused, detail)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)""";

    private static final String INSERT_EVENT = "INSERT INTO outbox_audit_events (audit_id, event_id) VALUES (?, ?)";

    private static final String FIRST = "SELECT id, actor, action FROM outbox_audit WHERE action_id = ?";

    private static final String EVENTS =
            "SELECT event_id FROM outbox_audit_events WHERE audit_id = ? ORDER BY event_id";

    private static final int LONGEST_ORIGIN = 255;

    private final Transactions database;

    ActionLog(Transactions database) {
        this.database = database;
    }

    @FunctionalInterface
    interface Work {
        Change on(Sql sql, Connection connection) throws SQLException;
    }

    /**
     * The changes of an action.
     *
     * @param audited the events in the audit
     * @param returned the events in the result
     * @param detail see {@link io.waybill.admin.AuditEntry#detail}
     */
    record Change(
            List<UUID> audited,
            List<UUID> returned,
            @Nullable String detail,
            boolean effective) {
        static Change of(List<UUID> events, @Nullable String detail) {
            return new Change(events, events, detail, !events.isEmpty());
        }

        static Change withoutEvents(String detail) {
            return new Change(List.of(), List.of(), detail, true);
        }
    }

    /** Another call with the same action id was faster. The transaction is rolled back. */
    private static final class RepeatedException extends WaybillException {
        private static final long serialVersionUID = 1L;

        RepeatedException(SQLException cause) {
            super("The action id exists.", cause);
        }
    }

    /** @param what names the action in an error message, as in "Cannot replay dead letters" */
    ActionResult execute(String name, String what, Action action, Work work) {
        try {
            return database.transaction(what, connection -> {
                Sql sql = Sql.on(connection);
                sql.dialect().refuseHiddenRows(connection);
                Optional<ActionResult> first = first(sql, name, action);
                if (first.isPresent()) {
                    return first.get();
                }
                Change change = work.on(sql, connection);
                if (change.effective || action.id() != null) {
                    record(sql, name, action, change.audited, false, change.detail);
                }
                return new ActionResult(change.returned, false);
            });
        } catch (RepeatedException e) {
            return database.transaction(what, connection -> first(Sql.on(connection), name, action))
                    .orElseThrow(() -> e);
        }
    }

    void refused(String name, @Nullable String detail, Action action) {
        database.transaction("record a refused action", connection -> {
            // A refused action has no id in the audit: the same request may be allowed later.
            record(Sql.on(connection), name, action.withId(null), List.of(), true, detail);
            return name;
        });
    }

    void viewed(UUID event, Action action) {
        database.transaction("record a look at a payload", connection -> {
            record(Sql.on(connection), "view-payload", action.withId(null), List.of(), false, event.toString());
            return event;
        });
    }

    /** Writes the audit row of a step that is part of a longer operation. */
    static void record(Sql sql, String name, Action action, List<UUID> events, boolean refused, @Nullable String detail)
            throws SQLException {
        try {
            AuditRows.record(
                    sql,
                    INSERT,
                    INSERT_EVENT,
                    events,
                    cut(action.actor()),
                    name,
                    action.reason(),
                    events.size(),
                    action.id(),
                    action.origin() == null ? null : cut(action.origin()),
                    refused,
                    detail);
        } catch (SQLException e) {
            if (action.id() != null && SqlState.of(e).equals(SqlState.UNIQUE_VIOLATION)) {
                throw new RepeatedException(e);
            }
            throw e;
        }
    }

    private static String cut(String text) {
        return text.length() <= LONGEST_ORIGIN ? text : text.substring(0, LONGEST_ORIGIN);
    }

    private static Optional<ActionResult> first(Sql sql, String name, Action action) throws SQLException {
        if (action.id() == null) {
            return Optional.empty();
        }
        long audit = sql.query(
                FIRST,
                row -> {
                    if (!row.next()) {
                        return -1L;
                    }
                    if (!row.getString(2).equals(cut(action.actor()))
                            || !row.getString(3).equals(name)) {
                        throw new ActionRefusedException("Action id " + action.id() + " was used before, for "
                                + row.getString(3) + " by " + row.getString(2) + ". Use a new id for each action.");
                    }
                    return row.getLong(1);
                },
                action.id());
        return audit < 0 ? Optional.empty() : Optional.of(new ActionResult(events(sql, audit), true));
    }

    private static List<UUID> events(Sql sql, long audit) throws SQLException {
        return sql.query(
                EVENTS,
                row -> {
                    List<UUID> ids = new ArrayList<>();
                    while (row.next()) {
                        ids.add(sql.dialect().uuid(row, 1));
                    }
                    return ids;
                },
                audit);
    }
}
