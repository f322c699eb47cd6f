package io.waybill.jdbc;

import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.inbox.DeadLetter;
import io.waybill.inbox.Held;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.Received;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@link InboxStore} on PostgreSQL: the marks and versions; {@link InboxHeld} has the events that wait. */
final class InboxTables implements InboxStore<Connection> {
    private static final String MARK_COLUMNS =
            "INSERT INTO processed_events (consumer_group, event_id, event_type, source, entity_id, entity_version)";

    /**
     * One round trip decides: the first column says that the event is marked now, the second that its entity is held. Two
     * statements would not do: an entity that is released between them would make a new event look like a duplicate.
     */
    private static final String ADMIT = """
            WITH held AS (SELECT 1 FROM inbox_held WHERE consumer_group = ? AND entity_id = ? AND state <> 'GAP' LIMIT 1),
                 marked AS (""" + MARK_COLUMNS + """

                            SELECT ?, ?::uuid, ?, ?::text, ?, ?::bigint WHERE NOT EXISTS (SELECT 1 FROM held)
                            ON CONFLICT DO NOTHING RETURNING 1)
            SELECT EXISTS (SELECT 1 FROM marked), EXISTS (SELECT 1 FROM held)""";

    private static final String ADMIT_ALL = """
            WITH came AS (SELECT * FROM unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::text[])
                          WITH ORDINALITY AS t (id, type, source, entity, version, n)),
                 held AS (SELECT DISTINCT c.entity FROM came c JOIN inbox_held h
                          ON h.consumer_group = ? AND h.entity_id = c.entity AND h.state <> 'GAP'),
                 marked AS (""" + MARK_COLUMNS + """

                            SELECT ?, id, type, source, entity, nullif(version, '')::bigint FROM came
                            WHERE entity NOT IN (SELECT entity FROM held)
                            ON CONFLICT DO NOTHING RETURNING event_id)
            SELECT m.event_id IS NOT NULL, h.entity IS NOT NULL
            FROM came c LEFT JOIN marked m ON m.event_id = c.id LEFT JOIN held h ON h.entity = c.entity ORDER BY c.n""";

    private static final String ADMIT_HELD = MARK_COLUMNS + " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING";

    private static final String ADVANCE = """
            INSERT INTO inbox_versions AS v (consumer_group, entity_id, version) VALUES (?, ?, ?)
            ON CONFLICT (consumer_group, entity_id) DO UPDATE SET version = excluded.version
            WHERE v.version < excluded.version""";

    private static final String BURY = """
            INSERT INTO processed_events (consumer_group, event_id, event_type, entity_id, outcome)
            VALUES (?, ?, ?, ?, 'DEAD_LETTERED') ON CONFLICT DO NOTHING""";

    private static final String LETTER = """
            INSERT INTO inbox_dead_letters (consumer_group, event_id, event_type, entity_id, attempts, error_class, error,
                                            failed_at, topic, topic_partition, topic_offset, message_key, headers, value)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""";

    private static final String PRUNE = """
            DELETE FROM processed_events WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM processed_events
                WHERE consumer_group = ? AND outcome <> 'DEAD_LETTERED' AND processed_at < now() - ? * interval '1 second'
                ORDER BY processed_at LIMIT ? FOR UPDATE SKIP LOCKED))""";

    private static final String PRUNE_EFFECTS = """
            DELETE FROM inbox_effects WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM inbox_effects
                WHERE consumer_group = ? AND done_at < now() - ? * interval '1 second' LIMIT ? FOR UPDATE SKIP LOCKED))""";

    private final Database database;
    private final InboxHeld held = new InboxHeld();

    InboxTables(Database database) {
        this.database = database;
    }

    @Override
    public <R> R transaction(String what, Work<Connection, R> work) {
        return database.transaction(what, work::in);
    }

    @Override
    public Admission admit(Connection connection, String group, Event event, boolean isHeld) {
        String what = "mark event " + event.id();
        String entity = InboxStore.entity(event);
        String source = source(event);
        if (isHeld) {
            int marked = InboxStatement.update(
                    connection, what, ADMIT_HELD, group, event.id(), event.type(), source, entity, version(event));
            return marked == 1 ? Admission.ADMITTED : Admission.DUPLICATE;
        }
        return InboxStatement.query(
                connection,
                what,
                ADMIT,
                row -> {
                    row.next();
                    return row.getBoolean(1)
                            ? Admission.ADMITTED
                            : row.getBoolean(2) ? Admission.HELD : Admission.DUPLICATE;
                },
                group,
                entity,
                group,
                event.id(),
                event.type(),
                source,
                entity,
                version(event));
    }

    @Override
    public List<Admission> admitAll(Connection connection, String group, List<Event> events) {
        List<UUID> ids = events.stream().map(Event::id).toList();
        List<Admission> admissions = InboxStatement.query(
                connection,
                "mark " + events.size() + " events",
                ADMIT_ALL,
                row -> {
                    List<Admission> answers = new ArrayList<>(events.size());
                    while (row.next()) {
                        answers.add(
                                row.getBoolean(1)
                                        ? Admission.ADMITTED
                                        : row.getBoolean(2) ? Admission.HELD : Admission.DUPLICATE);
                    }
                    return answers;
                },
                ids,
                events.stream().map(Event::type).toList(),
                events.stream().map(InboxTables::source).toList(),
                events.stream().map(InboxStore::entity).toList(),
                events.stream().map(InboxTables::versionText).toList(),
                group,
                group);
        // An event that stands in the list twice has one mark, which admits the first of them.
        Set<UUID> seen = new HashSet<>();
        for (int i = 0; i < ids.size(); i++) {
            if (!seen.add(ids.get(i)) && admissions.get(i) == Admission.ADMITTED) {
                admissions.set(i, Admission.DUPLICATE);
            }
        }
        return admissions;
    }

    private static String source(Event event) {
        return SqlErrors.storable(event.headers().getOrDefault(Headers.SOURCE, ""), 255);
    }

    private static String versionText(Event event) {
        Long version = version(event);
        return version == null ? "" : version.toString();
    }

    static @Nullable Long version(Event event) {
        return event.aggregateVersion().isPresent() ? event.aggregateVersion().getAsLong() : null;
    }

    @Override
    public void markStale(Connection connection, String group, UUID id) {
        InboxStatement.update(
                connection,
                "mark event " + id + " as stale",
                "UPDATE processed_events SET outcome = 'STALE' WHERE consumer_group = ? AND event_id = ?",
                group,
                id);
    }

    @Override
    public void unmark(Connection connection, String group, UUID id) {
        InboxStatement.update(
                connection,
                "take the mark of event " + id + " back",
                "DELETE FROM processed_events WHERE consumer_group = ? AND event_id = ?",
                group,
                id);
    }

    @Override
    public boolean advance(Connection connection, String group, String entity, long version) {
        return InboxStatement.update(connection, "move " + entity + " on", ADVANCE, group, entity, version) == 1;
    }

    /** The row is made first when it is missing, so that there is always one to lock, also for an entity's first events. */
    @Override
    public Sequence advanceStrictly(
            Connection connection, String group, String entity, long version, boolean acceptGap) {
        String what = "move " + entity + " on";
        InboxStatement.update(
                connection,
                what,
                "INSERT INTO inbox_versions (consumer_group, entity_id, version) VALUES (?, ?, 0) ON CONFLICT DO NOTHING",
                group,
                entity);
        long last = InboxStatement.query(
                connection,
                what,
                "SELECT version FROM inbox_versions WHERE consumer_group = ? AND entity_id = ? FOR UPDATE",
                row -> row.next() ? row.getLong(1) : 0L,
                group,
                entity);
        if (version <= last) {
            return Sequence.STALE;
        }
        if (version > last + 1 && !acceptGap) {
            return Sequence.GAP;
        }
        InboxStatement.update(
                connection,
                what,
                "UPDATE inbox_versions SET version = ? WHERE consumer_group = ? AND entity_id = ?",
                version,
                group,
                entity);
        held.wakeSuccessor(connection, group, entity, version + 1);
        return Sequence.NEXT;
    }

    @Override
    public Parking park(Connection connection, String group, Event event, Received message) {
        return held.park(connection, group, event, message);
    }

    @Override
    public void awaitPredecessor(
            Connection connection, String group, Event event, Received message, Duration patience) {
        held.awaitPredecessor(connection, group, event, message, patience);
    }

    @Override
    public boolean scheduleRetry(
            Connection connection, String group, Event event, Received message, Duration delay, String error) {
        return held.scheduleRetry(connection, group, event, message, delay, error);
    }

    @Override
    public void postpone(
            Connection connection, String group, Held event, Duration delay, String error, boolean counted) {
        held.postpone(connection, group, event, delay, error, counted);
    }

    @Override
    public void release(Connection connection, String group, UUID id) {
        held.release(connection, group, id);
    }

    @Override
    public boolean bury(Connection connection, DeadLetter letter) {
        String what = "give up on event " + letter.eventId();
        int marked = InboxStatement.update(
                connection, what, BURY, letter.group(), letter.eventId(), letter.eventType(), letter.entity());
        if (marked == 0) {
            return false;
        }
        InboxStatement.update(
                connection,
                what,
                LETTER,
                InboxRows.with(
                        letter.message(),
                        letter.group(),
                        letter.eventId(),
                        letter.eventType(),
                        letter.entity(),
                        letter.attempts(),
                        letter.errorClass(),
                        letter.error(),
                        letter.failedAt()));
        return true;
    }

    @Override
    public List<Held> claimDue(String group, int limit, Duration lease) {
        return database.transaction(
                "look for due events of group " + group, connection -> held.claim(connection, group, limit, lease));
    }

    @Override
    public int prune(String group, Duration age, int limit) {
        return database.transaction("remove old marks of group " + group, connection -> {
            InboxStatement.update(connection, "remove old effects", PRUNE_EFFECTS, group, age, limit);
            return InboxStatement.update(connection, "remove old marks", PRUNE, group, age, limit);
        });
    }

    @Override
    public void probe() {
        boolean valid = database.query("reach the inbox's database", connection -> connection.isValid(5));
        if (!valid) {
            throw new StoreException("The inbox's database does not answer. Check that it runs.", null);
        }
    }

    @Override
    public boolean isOutage(Throwable error) {
        return InboxOutage.is(error);
    }
}
