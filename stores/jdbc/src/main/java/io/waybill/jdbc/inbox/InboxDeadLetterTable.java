package io.waybill.jdbc.inbox;

import io.waybill.WaybillException;
import io.waybill.admin.AuditEntry;
import io.waybill.admin.DeadLetters.Decision;
import io.waybill.admin.EventFilter;
import io.waybill.inbox.DeadLetter;
import io.waybill.inbox.InboxDeadLetters;
import io.waybill.jdbc.internal.admin.AuditRows;
import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.Transactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The table {@code inbox_dead_letters}, with the dead letters of all groups. */
final class InboxDeadLetterTable implements InboxDeadLetters {
    private static final String UNMARK = """
            DELETE FROM processed_events WHERE consumer_group = ? AND event_id = ANY (?) AND outcome = 'DEAD_LETTERED'""";

    private static final String DELETE =
            "DELETE FROM inbox_dead_letters WHERE consumer_group = ? AND event_id = ANY (?)";

    private static final String AUDIT =
            "INSERT INTO inbox_audit (actor, action, reason, consumer_group, events) VALUES (?, ?, ?, ?, ?)";

    private static final String AUDIT_EVENT = "INSERT INTO inbox_audit_events (audit_id, event_id) VALUES (?, ?)";

    private static final String HISTORY = """
            SELECT a.id, a.at, a.actor, a.action, a.reason, a.events
            FROM inbox_audit a JOIN inbox_audit_events e ON e.audit_id = a.id
            WHERE a.consumer_group = ? AND e.event_id = ? ORDER BY a.id""";

    private final Transactions database;
    private final InboxHeldTable held = new InboxHeldTable();

    InboxDeadLetterTable(Transactions database) {
        this.database = database;
    }

    @Override
    public List<DeadLetter> list(@Nullable String group, EventFilter filter, int limit) {
        return database.transaction(
                "list dead letters",
                connection -> InboxStatement.query(
                        connection,
                        "list dead letters",
                        s -> s.listLetters,
                        InboxDeadLetterTable::letters,
                        group,
                        group,
                        filter.key(),
                        filter.key(),
                        filter.type(),
                        filter.type(),
                        filter.olderThan(),
                        filter.olderThan(),
                        filter.youngerThan(),
                        filter.youngerThan(),
                        Math.min(limit, LARGEST_BULK)));
    }

    @Override
    public Optional<DeadLetter> find(String group, UUID eventId) {
        return database.query(
                "find dead letter " + eventId,
                connection -> InboxStatement.query(
                                connection,
                                "find a dead letter",
                                s -> s.findLetter,
                                InboxDeadLetterTable::letters,
                                group,
                                eventId)
                        .stream()
                        .findFirst());
    }

    @Override
    public List<UUID> replay(String group, List<UUID> eventIds, Decision decision) {
        return change("replay", group, eventIds, decision, (connection, letters, ids) -> {
            TreeSet<String> keys = new TreeSet<>(); // sorted, so that two operators acquire locks in the same order
            letters.forEach(letter -> keys.add(letter.qualifiedKey()));
            held.replay(
                    connection,
                    group,
                    keys,
                    () -> ids.forEach(id ->
                            InboxStatement.update(connection, "replay event " + id, s -> s.replayLetter, group, id)));
            InboxStatement.update(connection, "replay dead letters", UNMARK, group, ids);
        });
    }

    @Override
    public List<UUID> discard(String group, List<UUID> eventIds, Decision decision) {
        return change(
                "discard",
                group,
                eventIds,
                decision,
                (connection, letters, ids) ->
                        InboxStatement.update(connection, "discard dead letters", s -> s.markDiscarded, group, ids));
    }

    @FunctionalInterface
    private interface Change {
        void make(Connection connection, List<DeadLetter> letters, List<UUID> ids);
    }

    private List<UUID> change(String action, String group, List<UUID> eventIds, Decision decision, Change change) {
        if (eventIds.size() > LARGEST_BULK) {
            throw new WaybillException("Cannot " + action + " " + eventIds.size() + " dead letters at once; at most "
                    + LARGEST_BULK + " are allowed. Split the list.");
        }
        if (eventIds.isEmpty()) {
            return List.of();
        }
        String what = action + " dead letters";
        return database.transaction(what, connection -> {
            List<DeadLetter> letters = InboxStatement.query(
                    connection, what, s -> s.lockLetters, InboxDeadLetterTable::letters, group, eventIds);
            List<UUID> ids = letters.stream().map(DeadLetter::eventId).toList();
            if (!ids.isEmpty()) {
                change.make(connection, letters, ids);
                InboxStatement.update(connection, what, DELETE, group, ids);
                AuditRows.record(
                        Sql.on(connection),
                        AUDIT,
                        AUDIT_EVENT,
                        ids,
                        decision.actor(),
                        action,
                        decision.reason(),
                        group,
                        ids.size());
            }
            return ids;
        });
    }

    @Override
    public List<AuditEntry> history(String group, UUID eventId) {
        return database.query(
                "read the history of event " + eventId,
                connection ->
                        InboxStatement.query(connection, "read a history", HISTORY, AuditRows::read, group, eventId));
    }

    private static List<DeadLetter> letters(Dialect dialect, ResultSet row) throws SQLException {
        List<DeadLetter> letters = new ArrayList<>();
        while (row.next()) {
            letters.add(new DeadLetter(
                    row.getString(1),
                    dialect.uuid(row, 2),
                    row.getString(3),
                    row.getString(4),
                    MessageRows.message(row, 9),
                    row.getInt(5),
                    row.getString(6),
                    row.getString(7),
                    EventRows.time(dialect, row, 8)));
        }
        return letters;
    }
}
