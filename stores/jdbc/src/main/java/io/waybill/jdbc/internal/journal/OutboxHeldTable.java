package io.waybill.jdbc.internal.journal;

import io.waybill.jdbc.internal.admin.PausedEvents;
import io.waybill.jdbc.internal.event.Candidate;
import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.event.ParkedChunk;
import io.waybill.jdbc.internal.event.Payloads;
import io.waybill.jdbc.internal.lane.LaneTable;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.PostgresDialect;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The journal's side table {@code outbox_held}: the few events that were not published at the first attempt.
 *
 * <p>Invariant: among the held events of a key, those with a due time come first, without a gap, and no event is due earlier than
 * an event before it. To preserve this, every change that delays an event parks the later events of its key. Due
 * events can therefore be claimed without examining other events of the key. Only the lane's owner and operators change these
 * rows, and both lock the lane's cursor first.
 */
final class OutboxHeldTable {
    private static final String CLAIM_DUE =
            """
            WITH due AS (
                SELECT id, seq, crash_count FROM outbox_held
                WHERE outbox_lane(aggregate_id) = ? AND next_attempt_at < 'infinity' AND next_attempt_at <= now()
                ORDER BY next_attempt_at, seq LIMIT ?),
            chosen AS (
                SELECT id FROM (SELECT id, sum(8 ^ least(crash_count, 6)) OVER by_seq AS weight,
                                       row_number() OVER by_seq AS place
                                FROM due WINDOW by_seq AS (ORDER BY seq)) d
                WHERE place = 1 OR weight <= ?),
            claimed AS (
                UPDATE outbox_held h SET state = 'CLAIMED', locked_by = ?, locked_until = ?
                FROM chosen c WHERE h.id = c.id RETURNING h.id, h.seq, h.retry_count, h.crash_count)
            """ + "SELECT " + String.join(", ", EventRows.columns(PostgresDialect.INSTANCE, ParkedChunk.MAX)) + """
            , h.seq, h.retry_count, (date_part('epoch', clock_timestamp() - e.created_at) * 1000000)::bigint AS age_micros,
            h.crash_count > 0 AS is_suspect
            FROM claimed h JOIN outbox_events e ON e.id = h.id""";

    private static final String PARK = """
            INSERT INTO outbox_held (id, seq, aggregate_id, state, next_attempt_at)
            SELECT id, seq, aggregate_id, 'PARKED', 'infinity' FROM outbox_events WHERE id = ANY (?)""";

    /**
     * Searches along the index of due times, because a key may have any number of parked events; {@code || ''} prevents the
     * planner from using the index of keys.
     */
    private static final String PARK_BEHIND = """
            UPDATE outbox_held h SET state = 'PARKED', next_attempt_at = 'infinity'
            FROM unnest(?::text[], ?::bigint[]) AS k (key, seq)
            WHERE outbox_lane(h.aggregate_id) = outbox_lane(k.key) AND h.next_attempt_at < 'infinity'
              AND h.aggregate_id || '' = k.key AND h.seq > k.seq AND h.state = 'PENDING'""";

    /** Examines a few events of each key, after the given position. */
    private static final String UNPARK = """
            UPDATE outbox_held h SET state = 'PENDING', next_attempt_at = now()
            FROM unnest(?::text[], ?::bigint[]) AS k (key, seq) CROSS JOIN LATERAL (
                SELECT f.id FROM (
                    SELECT w.id, bool_and(w.state = 'PARKED') OVER (ORDER BY w.seq) AS free FROM (
                        SELECT p.id, p.seq, p.state FROM outbox_held p
                        WHERE p.aggregate_id = k.key AND p.next_attempt_at IS NOT NULL AND p.seq > k.seq
                        ORDER BY p.seq LIMIT ?) w) f
                WHERE f.free) p
            WHERE h.id = p.id""";

    /** Selects the first held event of the next key. */
    static final String NEXT_KEY = """
            SELECT aggregate_id, id, state FROM outbox_held WHERE aggregate_id > ? AND next_attempt_at IS NOT NULL
            ORDER BY aggregate_id, seq LIMIT 1""";

    private static final String UNCLAIM = """
            UPDATE outbox_held SET state = 'PENDING', locked_by = NULL, locked_until = NULL,
                retry_count = retry_count + ?, crash_count = crash_count + ?, last_error = coalesce(?, last_error)
            WHERE outbox_lane(aggregate_id) = ? AND next_attempt_at < 'infinity' AND state = 'CLAIMED'""";

    private static final String UNCLAIM_BY_ID = """
            UPDATE outbox_held SET state = 'PENDING', locked_by = NULL, locked_until = NULL WHERE id = ANY (?)""";

    private static final String WAKE_HELD = """
            UPDATE outbox_held SET next_attempt_at = now() WHERE id = ANY (ARRAY (
                SELECT id FROM outbox_held WHERE outbox_lane(aggregate_id) = ? AND next_attempt_at < 'infinity'
                AND next_attempt_at > now() AND state = 'PENDING' AND %s LIMIT ?))""".formatted(PausedEvents.condition());

    private OutboxHeldTable() {}

    /**
     * Claims due retries and adds them to {@code claims}.
     *
     * @param bytes the budget for payloads; exceeded by one event at most
     * @return whether one of the retries may have crashed its last relay, so that no other event should be sent with it
     */
    static boolean claimDue(
            Connection connection, Lease lease, OffsetDateTime until, int limit, long bytes, List<ClaimedEvent> claims)
            throws SQLException {
        boolean suspects = false;
        List<Candidate> due = new ArrayList<>();
        Dialect dialect = Dialect.of(connection);
        try (PreparedStatement claim = Sql.statement(connection, CLAIM_DUE)) {
            claim.setInt(1, lease.lane());
            claim.setInt(2, limit);
            claim.setInt(3, limit);
            claim.setString(4, lease.relay());
            claim.setObject(5, until);
            try (ResultSet row = claim.executeQuery()) {
                int seq = row.findColumn("seq");
                int retryCount = row.findColumn("retry_count");
                int ageMicros = row.findColumn("age_micros");
                int isSuspect = row.findColumn("is_suspect"); // a relay crashed while it held the event
                while (row.next()) {
                    due.add(Candidate.read(
                            dialect, row, row.getLong(seq), row.getInt(retryCount), true, row.getLong(ageMicros)));
                    suspects |= row.getBoolean(isSuspect);
                }
            }
        }
        due.sort(Comparator.comparingLong(Candidate::position));
        Sql sql = Sql.on(connection);
        List<ClaimedEvent> claimed = Payloads.fill(sql, due, bytes);
        claims.addAll(claimed);
        if (claimed.size() < due.size()) {
            long last = claimed.isEmpty() ? 0 : claimed.get(claimed.size() - 1).position();
            sql.update(
                    UNCLAIM_BY_ID,
                    due.stream()
                            .filter(candidate -> candidate.position() > last)
                            .map(Candidate::id)
                            .toList());
        }
        return suspects;
    }

    static void park(Connection connection, List<UUID> events) throws SQLException {
        try (PreparedStatement park = Sql.statement(connection, PARK)) {
            park.setArray(1, connection.createArrayOf("uuid", events.toArray()));
            park.executeUpdate();
        }
    }

    /** Parks the due events of each key that come after the given position. An event of the key is held at that position. */
    static void parkBehind(Sql sql, Map<String, Long> keys) throws SQLException {
        sql.update(PARK_BEHIND, keys.keySet(), keys.values());
    }

    /**
     * Makes the first parked events of each key due, up to the first event that is held for another reason. Releases one
     * chunk; when its events are finished, they release the next chunk.
     *
     * @param keys each with a position up to which no event of the key is held
     */
    static void unpark(Sql sql, Map<String, Long> keys) throws SQLException {
        sql.update(UNPARK, keys.keySet(), keys.values(), ParkedChunk.size(keys.size()));
    }

    /**
     * Makes all retries due now, because the database's clock was set back and their due times come from the old clock. All
     * become due at the same time, so that the events of a key stay in order. Like every change in this class, this happens
     * under the locks of the cursors.
     */
    static void makeRetriesDue(Connection connection) throws SQLException {
        Sql sql = Sql.on(connection);
        sql.exists("SELECT 1 FROM outbox_cursors ORDER BY lane FOR NO KEY UPDATE");
        sql.update("UPDATE outbox_held SET next_attempt_at = now()"
                + " WHERE next_attempt_at < 'infinity' AND next_attempt_at > now() AND state = 'PENDING'");
    }

    /** Makes events due that a pause has held. Each of them is the first held event of its key, so the keys stay in order. */
    static int wakeHeld(Sql sql, int lane, Collection<String> reasons, int limit) throws SQLException {
        sql.exists("SELECT 1 FROM outbox_cursors WHERE lane = ? FOR NO KEY UPDATE", lane);
        List<Object> values = new ArrayList<>(List.of(lane));
        values.addAll(PausedEvents.values(reasons));
        values.add(limit);
        return sql.update(WAKE_HELD, values.toArray());
    }

    /**
     * Releases the retries that an owner held when it crashed, and counts a failure for each: one of them may have caused
     * the crash.
     */
    static void unclaimAfterCrash(Connection connection, int lane) throws SQLException {
        unclaim(connection, lane, 1, LaneTable.CRASH_ERROR);
    }

    /** Releases claimed retries without counting a failure. */
    static void unclaim(Connection connection, int lane) throws SQLException {
        unclaim(connection, lane, 0, null);
    }

    private static void unclaim(Connection connection, int lane, int failures, @Nullable String error)
            throws SQLException {
        try (PreparedStatement unclaim = Sql.statement(connection, UNCLAIM)) {
            unclaim.setInt(1, failures);
            unclaim.setInt(2, failures);
            unclaim.setString(3, error);
            unclaim.setInt(4, lane);
            unclaim.executeUpdate();
        }
    }

    /**
     * Returns the outcomes that are not recorded yet. A retry that was settled and claimed again has a higher retry count
     * and is excluded.
     */
    static List<PublishOutcome> stillClaimed(Connection connection, List<PublishOutcome> outcomes) throws SQLException {
        Map<UUID, Integer> claimed = new HashMap<>();
        try (PreparedStatement query = Sql.statement(
                connection, "SELECT id, retry_count FROM outbox_held WHERE id = ANY (?) AND state = 'CLAIMED'")) {
            UUID[] ids = outcomes.stream()
                    .map(outcome -> outcome.claimed().event().id())
                    .toArray(UUID[]::new);
            query.setArray(1, connection.createArrayOf("uuid", ids));
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    claimed.put(row.getObject(1, UUID.class), row.getInt(2));
                }
            }
        }
        return outcomes.stream()
                .filter(outcome -> {
                    Integer failures = claimed.get(outcome.claimed().event().id());
                    return failures != null && failures == outcome.claimed().retryCount();
                })
                .toList();
    }
}
