package io.waybill.jdbc.internal.admin;

import io.waybill.Event;
import io.waybill.Outbox;
import io.waybill.WaybillException;
import io.waybill.admin.Action;
import io.waybill.admin.ActionRefusedException;
import io.waybill.admin.ActionResult;
import io.waybill.admin.Correction;
import io.waybill.admin.EventRecord;
import io.waybill.admin.EventState;
import io.waybill.admin.OutboxActions;
import io.waybill.admin.OutboxPause;
import io.waybill.jdbc.internal.admin.ActionLog.Change;
import io.waybill.jdbc.internal.admin.Repair.Changed;
import io.waybill.jdbc.internal.admin.Repair.Held;
import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.SqlState;
import io.waybill.jdbc.internal.sql.Transactions;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Executes the actions of operators on events.
 *
 * <p>Every change locks the lanes first. This rules out the following race: a relay finds that a dead letter blocks a key, and parks
 * the next event of the key. At the same time an operator discards the dead letter and frees the parked events, but does not see
 * that event, because the relay has not committed. The event would stay parked forever.
 */
public final class JdbcActions implements OutboxActions {
    private static final String SET_TOPIC = "UPDATE outbox_events SET topic = ? WHERE id = ANY (?)";

    private static final String END_PAUSE = "DELETE FROM outbox_pauses WHERE scope = ? AND target = ?";

    private static final String PAUSE =
            "INSERT INTO outbox_pauses (scope, target, actor, reason, expires_at) VALUES (?, ?, ?, ?, ?)";

    private static final int LONGEST_TARGET = 255;

    private final Repair repair;
    private final ActionLog log;
    private final @Nullable Outbox<Connection> outbox;

    /** @param outbox appends corrected events; null if the events of this outbox cannot be edited */
    public JdbcActions(Transactions database, Repair repair, @Nullable Outbox<Connection> outbox) {
        this.repair = repair;
        this.log = new ActionLog(database);
        this.outbox = outbox;
    }

    @Override
    public ActionResult replay(List<UUID> ids, Action action) {
        return change("replay", ids, action, repair::replay);
    }

    @Override
    public ActionResult replayTo(String topic, List<UUID> ids, Action action) {
        // The builder of events validates the topic.
        String checked =
                Event.builder("replay", "replay", "replay").topic(topic).build().destination();
        Action audited = new Action(
                action.actor(), action.reason() + " (topic set to " + checked + ")", action.id(), action.origin());
        return change("replay", ids, audited, (sql, chosen) -> {
            List<Changed> dead = repair.replay(sql, chosen);
            if (!dead.isEmpty()) {
                setTopic(sql, checked, dead.stream().map(Changed::id).toList());
            }
            return dead;
        });
    }

    private static void setTopic(Sql sql, String topic, List<UUID> ids) throws SQLException {
        try {
            sql.update(SET_TOPIC, topic, ids);
        } catch (SQLException e) {
            if (SqlState.of(e).equals(SqlState.INSUFFICIENT_PRIVILEGE)) {
                throw new StoreException(
                        "Cannot correct the topic: this user has no UPDATE privilege on the column topic of outbox_events. GRANT"
                                + " UPDATE (topic) ON outbox_events to this user, or connect as the owner of the tables."
                                + " Nothing was changed.",
                        e);
            }
            throw e;
        }
    }

    @Override
    public ActionResult discard(List<UUID> ids, Action action) {
        return change("discard", ids, action, repair::discard);
    }

    @Override
    public ActionResult retryNow(List<UUID> ids, Action action) {
        return change("retry", ids, action, repair::retryNow);
    }

    /** A change of several events. */
    @FunctionalInterface
    interface Several {
        List<Changed> make(Sql sql, List<UUID> ids) throws SQLException;
    }

    private ActionResult change(String name, List<UUID> ids, Action action, Several change) {
        if (ids.size() > LARGEST_BULK) {
            throw new WaybillException("Cannot " + name + " " + ids.size() + " events at once; at most " + LARGEST_BULK
                    + " are allowed. Split the list.");
        }
        if (ids.isEmpty()) {
            return new ActionResult(List.of(), false);
        }
        return log.execute(
                name, name + " events", action, (sql, connection) -> Change.of(changed(sql, ids, change), null));
    }

    /** Locks the lanes of the events, then changes the events. Returns the ids of the changed events. */
    List<UUID> changed(Sql sql, List<UUID> ids, Several change) throws SQLException {
        repair.lock(sql, ids);
        return change.make(sql, ids).stream().map(Changed::id).distinct().toList();
    }

    @Override
    public ActionResult skip(UUID id, Action action) {
        return log.execute("skip", "skip event " + id, action, (sql, connection) -> {
            EventRecord event = locked(sql, id);
            Held first = first(sql, event);
            if (!first.id().equals(id)) {
                throw new ActionRefusedException("Event " + id
                        + " does not block its key. The first open event of the key is " + first.id() + ".");
            }
            repair.discardFirst(sql, id, event.event().key());
            return Change.of(List.of(id), event.event().key());
        });
    }

    /**
     * Returns the first held event of the key. Refuses if a relay is sending it, because that relay would not notice the change.
     */
    private Held first(Sql sql, EventRecord event) throws SQLException {
        List<Held> held = repair.held(sql, event.event().key(), 1);
        if (held.isEmpty()) {
            throw new ActionRefusedException("Event " + event.event().id() + " is "
                    + event.state().name().toLowerCase(Locale.ROOT).replace('_', ' ')
                    + " and blocks no other event.");
        }
        Held first = held.get(0);
        if (first.isClaimed()) {
            throw new ActionRefusedException(
                    "A relay is sending event " + first.id() + " now. Try again when this attempt has ended.");
        }
        if (first.isParked()) {
            throw new ActionRefusedException("The events of the key are about to be sent.");
        }
        return first;
    }

    private EventRecord locked(Sql sql, UUID id) throws SQLException {
        repair.lock(sql, List.of(id));
        return sql.query(
                        ViewStatements.of(sql).records("SELECT * FROM outbox_events WHERE id = ?"),
                        row -> row.next()
                                ? Optional.of(RecordColumns.of(row).read(sql.dialect(), row))
                                : Optional.<EventRecord>empty(),
                        id)
                .orElseThrow(() -> new ActionRefusedException(
                        "There is no event " + id + ". It may have been removed after its retention time."));
    }

    @Override
    public ActionResult releaseKey(String key, Action action) {
        return log.execute("release", "release key " + key, action, (sql, connection) -> {
            List<Held> candidates = repair.held(sql, key, 1);
            if (!candidates.isEmpty()) {
                repair.lock(sql, List.of(candidates.get(0).id()));
            }
            List<Held> held = repair.held(sql, key, 1);
            if (held.isEmpty() || !held.get(0).isDeadLetter()) {
                throw new ActionRefusedException("No dead letter blocks key " + key + ".");
            }
            UUID dead = held.get(0).id();
            repair.unblock(sql, dead, key);
            return Change.of(List.of(dead), key);
        });
    }

    @Override
    public ActionResult editAndReplay(Correction correction, Action action) {
        Outbox<Connection> target = outbox;
        if (target == null) {
            throw new ActionRefusedException(
                    "The events of this outbox cannot be edited, because another table contains them. Edit that table.");
        }
        UUID id = correction.id();
        return log.execute("edit", "edit event " + id, action, (sql, connection) -> {
            EventRecord original = locked(sql, id);
            if (!Correction.hash(original.event()).equals(correction.expectedHash())) {
                throw new ActionRefusedException(
                        "Event " + id + " has changed since you read it. Read it again, and repeat the correction.");
            }
            Event corrected = corrected(original.event(), correction);
            if (original.state() == EventState.DEAD_LETTER) {
                repair.discard(sql, List.of(id));
            } else if (original.state() == EventState.PENDING
                    && original.nextAttemptAt() != null
                    && first(sql, original).id().equals(id)) {
                repair.discardFirst(sql, id, original.event().key());
            } else {
                throw new ActionRefusedException("Event " + id + " is " + original.state()
                        + ". Only a dead letter, or an event that waits for a retry, can be edited.");
            }
            append(target, connection, corrected);
            return new Change(
                    List.of(id, corrected.id()),
                    List.of(corrected.id()),
                    id + " was replaced by " + corrected.id(),
                    true);
        });
    }

    private static Event corrected(Event original, Correction correction) {
        Event.Builder copy = Event.builder(original.type(), original.aggregateType(), original.key())
                .version(original.version())
                .occurredAt(original.occurredAt())
                .payload(correction.payload())
                .headers(correction.headers())
                .header(Correction.HEADER, correction.id().toString());
        original.topic().ifPresent(copy::topic);
        original.aggregateVersion().ifPresent(copy::aggregateVersion);
        return copy.build();
    }

    private static void append(Outbox<Connection> outbox, Connection connection, Event event) {
        try {
            outbox.append(connection, event);
        } catch (WaybillException e) {
            if (e.getCause() instanceof SQLException cause
                    && SqlState.of(cause).equals(SqlState.INSUFFICIENT_PRIVILEGE)) {
                throw new StoreException(
                        "Cannot append the corrected event: this user has no INSERT privilege on outbox_events. GRANT INSERT ON"
                                + " outbox_events to this user, if operators may edit events. Nothing was changed.",
                        e);
            }
            throw e;
        }
    }

    @Override
    public ActionResult pause(OutboxPause.Scope scope, String value, @Nullable Instant until, Action action) {
        if (value.isBlank() || value.length() > LONGEST_TARGET) {
            throw new WaybillException("The name of what is paused has 1 to " + LONGEST_TARGET + " characters.");
        }
        String detail = detail(scope, value) + (until == null ? "" : " until " + until);
        return log.execute("pause", "pause " + detail(scope, value), action, (sql, connection) -> {
            Instant now = sql.query("SELECT " + sql.dialect().clock(), row -> {
                row.next();
                return EventRows.time(sql.dialect(), row, 1);
            });
            if (until != null && !until.isAfter(now)) {
                throw new WaybillException("The end of a pause must be in the future. It is " + now + " now.");
            }
            sql.update(END_PAUSE, scope.name(), value);
            sql.update(PAUSE, scope.name(), value, action.actor(), action.reason(), until);
            return Change.withoutEvents(detail);
        });
    }

    @Override
    public ActionResult resume(OutboxPause.Scope scope, String value, Action action) {
        return log.execute("resume", "resume " + detail(scope, value), action, (sql, connection) -> {
            if (sql.update(END_PAUSE, scope.name(), value) == 0) {
                throw new ActionRefusedException("There is no pause of " + detail(scope, value) + ".");
            }
            return Change.withoutEvents(detail(scope, value));
        });
    }

    private static String detail(OutboxPause.Scope scope, String value) {
        return scope.name().toLowerCase(Locale.ROOT) + " " + value;
    }

    @Override
    public void recordRefusal(String name, @Nullable String detail, Action action) {
        log.refused(name, detail, action);
    }

    @Override
    public void recordView(UUID event, Action action) {
        log.viewed(event, action);
    }
}
