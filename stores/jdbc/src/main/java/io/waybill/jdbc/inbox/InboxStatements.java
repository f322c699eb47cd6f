package io.waybill.jdbc.inbox;

import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.PerDialect;
import io.waybill.jdbc.internal.sql.SqlType;

/** The statements of the inbox that differ between databases. */
final class InboxStatements {
    static final PerDialect<InboxStatements> STATEMENTS = new PerDialect<>(InboxStatements::new);

    /** Skips from group to group in the index, so that the cost does not grow with the number of processed events. */
    private static final String POSTGRES_STATUS = """
            WITH RECURSIVE jump AS (
                (SELECT consumer_group AS g FROM processed_events WHERE outcome <> 'DEAD_LETTERED'
                 ORDER BY consumer_group LIMIT 1)
                UNION ALL
                SELECT (SELECT consumer_group FROM processed_events WHERE consumer_group > jump.g AND outcome <> 'DEAD_LETTERED'
                        ORDER BY consumer_group LIMIT 1) FROM jump WHERE jump.g IS NOT NULL),
            held AS (SELECT consumer_group AS g, count(*) FILTER (WHERE state = 'RETRY') AS retrying,
                            count(*) FILTER (WHERE state <> 'RETRY') AS parked,
                            extract(epoch FROM clock_timestamp() - min(held_at)) AS age
                     FROM inbox_held GROUP BY 1),
            dead AS (SELECT consumer_group AS g, count(*) AS letters FROM inbox_dead_letters GROUP BY 1),
            paused AS (SELECT consumer_group AS g, count(*) AS consumers, min(paused_since) AS since, min(reason) AS reason
                       FROM inbox_pauses WHERE expires_at > clock_timestamp() GROUP BY 1),
            names AS (SELECT g FROM jump WHERE g IS NOT NULL UNION SELECT g FROM held UNION SELECT g FROM dead
                      UNION SELECT g FROM paused)
            SELECT n.g, coalesce(h.retrying, 0), coalesce(h.parked, 0), coalesce(d.letters, 0), coalesce(h.age, 0),
                   (SELECT p.processed_at FROM processed_events p WHERE p.consumer_group = n.g
                    AND p.outcome <> 'DEAD_LETTERED' ORDER BY p.processed_at DESC LIMIT 1),
                   coalesce(s.consumers, 0), s.since, s.reason
            FROM names n LEFT JOIN held h USING (g) LEFT JOIN dead d USING (g) LEFT JOIN paused s USING (g)
            WHERE (CAST(? AS text) IS NULL OR n.g = ?) ORDER BY n.g""";

    // inbox_held
    final String park;
    final String await;
    final String awaitAgain;
    final String wakeSuccessor;
    final String retry;
    final String retryAgain;
    final String postpone;
    final String lockHead;

    /** Uses a nested SELECT, because MySQL rejects an UPDATE that reads its own table but accepts a derived table. */
    final String wakeHead;

    /** If a lock ends later than a new lease would, the database's clock was set back after it was taken. Such a lock is ignored. */
    final String due;

    final String claim;

    /** Selects by how many seconds the group's latest scheduled_at lies in the future; no row if it does not. */
    final String clockStep;

    final String undoClockStep;

    // inbox_dead_letters
    final String findLetter;
    final String listLetters;
    final String lockLetters;
    final String insertLetter;
    final String replayLetter;
    final String markDiscarded;

    // idempotency_keys
    final String acquireKey;

    /** A lock that ends later than the takeover time from now was taken before the database's clock was set back. */
    final String takeOverKey;

    final String readKey;
    final String completeKey;

    /** Stores the response if the key's row is gone: another call took the key over, failed, and released it. */
    final String completeNewKey;

    final String releaseKey;
    final String pruneKeys;

    // inbox_pauses
    final String updatePause;
    final String insertPause;

    /** Also removes the rows of consumers that crashed while they were paused. */
    final String endPause;

    final String pruneMarks;

    /** Keeps the effects of held events and dead letters, because their handlers may run again. */
    final String pruneEffects;

    final String status;

    private InboxStatements(Dialect dialect) {
        String now = dialect.now();
        String clock = dialect.clock();
        String infinity = dialect.infinity();
        String expiry = dialect.plusSeconds(clock);
        String value = dialect.quoted("value");
        // the columns of MessageRows, in its order
        String message = "topic, topic_partition, topic_offset, message_key, headers, " + value;
        String messageOfH = "h.topic, h.topic_partition, h.topic_offset, h.message_key, "
                + dialect.jsonText("h.headers") + ", h." + value;

        String hold = "INSERT INTO inbox_held (consumer_group, event_id, event_type, entity_id, entity_version, "
                + message + ", state, next_attempt_at, attempts, last_error, patience_ends, scheduled_at)";
        park = hold + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'PARKED', " + infinity + ", 0, NULL, NULL, NULL)";
        String deadline = dialect.plusSeconds(now);
        await = hold + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'GAP', " + deadline + ", 0, NULL, " + deadline + ", "
                + now + ")";
        awaitAgain = "UPDATE inbox_held SET state = 'GAP', entity_version = ?, locked_until = NULL, scheduled_at = "
                + now + ", next_attempt_at = coalesce(patience_ends, " + deadline + "),"
                + " patience_ends = coalesce(patience_ends, " + deadline
                + ") WHERE consumer_group = ? AND event_id = ?";
        wakeSuccessor = "UPDATE inbox_held SET next_attempt_at = " + clock + ", scheduled_at = " + clock
                + " WHERE consumer_group = ? AND entity_id = ? AND state = 'GAP' AND entity_version = ?";
        String undecided = "NOT EXISTS (SELECT 1 FROM processed_events WHERE consumer_group = ? AND event_id = ?)";
        retry = hold + " SELECT ?, " + dialect.typed(SqlType.UUID) + ", ?, ?, " + dialect.typed(SqlType.BIGINT)
                + ", ?, "
                + dialect.typed(SqlType.INTEGER) + ", " + dialect.typed(SqlType.BIGINT) + ", "
                + dialect.typed(SqlType.TEXT) + ", " + dialect.typed(SqlType.JSON) + ", " + dialect.typed(SqlType.BYTES)
                + ", 'RETRY', " + expiry + ", " + dialect.typed(SqlType.INTEGER) + ", ?, NULL, " + clock
                + " FROM (SELECT 1 AS one) t WHERE " + undecided;
        retryAgain = "UPDATE inbox_held SET state = 'RETRY', attempts = attempts + ?, next_attempt_at = " + expiry
                + ", scheduled_at = " + clock + ", last_error = ? WHERE consumer_group = ? AND event_id = ? AND "
                + undecided;
        postpone = "UPDATE inbox_held SET next_attempt_at = " + expiry + ", scheduled_at = " + clock
                + ", last_error = coalesce(?, last_error),"
                + " state = CASE WHEN ? THEN 'RETRY' ELSE state END, attempts = attempts + ?, locked_until = NULL"
                + " WHERE consumer_group = ? AND event_id = ? AND attempts = ?";
        lockHead = "SELECT 1 FROM inbox_held WHERE consumer_group = ? AND entity_id = ? AND state <> 'GAP'"
                + " ORDER BY position LIMIT 1 " + dialect.forShare();
        wakeHead = """
                UPDATE inbox_held SET next_attempt_at = %1$s, scheduled_at = %1$s
                WHERE consumer_group = ? AND next_attempt_at = %2$s AND event_id = (SELECT head.event_id FROM (
                    SELECT event_id FROM inbox_held WHERE consumer_group = ? AND entity_id = ? AND state <> 'GAP'
                    ORDER BY position LIMIT 1) head)""".formatted(clock, infinity);
        due = """
                SELECT h.event_id, h.attempts, coalesce(h.patience_ends <= %1$s, false), %2$s
                FROM inbox_held h
                WHERE h.consumer_group = ? AND h.next_attempt_at <= %3$s AND %4$s
                  AND (h.locked_until IS NULL OR h.locked_until <= %1$s OR h.locked_until > %5$s)
                  AND NOT (h.state = 'GAP' AND (
                      SELECT 1 FROM inbox_held r
                      WHERE r.consumer_group = h.consumer_group AND r.entity_id = h.entity_id AND r.state <> 'GAP'
                      ORDER BY r.position LIMIT 1) IS NOT NULL)
                ORDER BY h.next_attempt_at LIMIT ? FOR UPDATE SKIP LOCKED""".formatted(clock, messageOfH, now, dialect.isBefore("h.next_attempt_at", infinity), expiry);
        claim = "UPDATE inbox_held SET locked_until = " + expiry + " WHERE consumer_group = ? AND event_id = ANY (?)";
        clockStep = "SELECT " + dialect.secondsBetween(clock, "scheduled_at")
                + " FROM inbox_held WHERE consumer_group = ? AND scheduled_at > " + expiry
                + " ORDER BY scheduled_at DESC LIMIT 1";
        undoClockStep = "UPDATE inbox_held SET next_attempt_at = " + dialect.minusSeconds("next_attempt_at")
                + ", patience_ends = " + dialect.minusSeconds("patience_ends") + ", scheduled_at = "
                + dialect.minusSeconds("scheduled_at") + " WHERE consumer_group = ? AND scheduled_at > " + expiry;

        String letters = "SELECT h.consumer_group, h.event_id, h.event_type, h.entity_id, h.attempts,"
                + " h.error_class, h.error, h.failed_at, " + messageOfH + " FROM inbox_dead_letters h WHERE ";
        findLetter = letters + "h.consumer_group = ? AND h.event_id = ?";
        String text = dialect.typed(SqlType.TEXT);
        String age = dialect.typed(SqlType.DOUBLE);
        String earlier = dialect.minusSeconds(now);
        listLetters = letters + "(" + text + " IS NULL OR h.consumer_group = ?) AND (" + text
                + " IS NULL OR h.message_key = ?) AND (" + text + " IS NULL OR h.event_type = ?)"
                + " AND (" + age + " IS NULL OR h.failed_at < " + earlier + ")"
                + " AND (" + age + " IS NULL OR h.failed_at > " + earlier + ")"
                + " ORDER BY h.failed_at, h.event_id LIMIT ?";
        lockLetters = letters + "h.consumer_group = ? AND h.event_id = ANY (?)"
                + " ORDER BY h.topic, h.topic_partition, h.topic_offset, h.failed_at FOR UPDATE";
        insertLetter = "INSERT INTO inbox_dead_letters (consumer_group, event_id, event_type, entity_id, attempts,"
                + " error_class, error, failed_at, " + message
                + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
        replayLetter =
                "INSERT INTO inbox_held (consumer_group, event_id, event_type, entity_id, state, next_attempt_at, "
                        + message + ") SELECT consumer_group, event_id, event_type, entity_id, 'PARKED', " + infinity
                        + ", "
                        + message + " FROM inbox_dead_letters WHERE consumer_group = ? AND event_id = ?";
        markDiscarded = "UPDATE processed_events SET outcome = 'DISCARDED', processed_at = " + clock
                + " WHERE consumer_group = ? AND event_id = ANY (?)";

        String key = dialect.quoted("key");
        acquireKey = "INSERT INTO idempotency_keys (request_hash, owner, locked_until, expires_at, scope, " + key
                + ") VALUES (?, ?, " + expiry + ", " + expiry + ", ?, ?)";
        takeOverKey = "UPDATE idempotency_keys SET status = NULL, body = NULL, owner = ?, expires_at = " + expiry
                + ", request_hash = ?, locked_until = " + expiry + " WHERE scope = ? AND " + key
                + " = ? AND (locked_until <= " + clock + " OR locked_until > " + expiry + ") AND (expires_at <= "
                + clock
                + " OR status IS NULL AND request_hash = ?)";
        readKey = "SELECT request_hash, status, body FROM idempotency_keys WHERE scope = ? AND " + key + " = ?";
        completeKey = "UPDATE idempotency_keys SET status = ?, body = ?, expires_at = " + expiry
                + " WHERE scope = ? AND " + key + " = ? AND request_hash = ? AND status IS NULL";
        completeNewKey = "INSERT INTO idempotency_keys (request_hash, owner, locked_until, expires_at, scope, " + key
                + ", status, body) VALUES (?, ?, " + clock + ", " + expiry + ", ?, ?, ?, ?)";
        releaseKey =
                "DELETE FROM idempotency_keys WHERE scope = ? AND " + key + " = ? AND owner = ? AND status IS NULL";
        pruneKeys = dialect.deleteFirst(
                "idempotency_keys", "expires_at < " + now + " AND locked_until < " + now, "expires_at");

        String since = dialect.minusSeconds(clock);
        updatePause = "UPDATE inbox_pauses SET paused_since = " + since + ", reason = ?, expires_at = " + expiry
                + " WHERE consumer_group = ? AND consumer = ?";
        insertPause = "INSERT INTO inbox_pauses (consumer_group, consumer, paused_since, reason, expires_at)"
                + " VALUES (?, ?, " + since + ", ?, " + expiry + ")";
        endPause =
                "DELETE FROM inbox_pauses WHERE consumer_group = ? AND (consumer = ? OR expires_at <= " + clock + ")";

        pruneMarks = dialect.deleteFirst(
                "processed_events",
                "consumer_group = ? AND outcome <> 'DEAD_LETTERED' AND " + dialect.isBefore("processed_at", earlier),
                "processed_at");
        // The key of an effect contains the event's id after the group; see EffectTable.
        String event = dialect.asUuid("substring(effect_key, char_length(inbox_effects.consumer_group) + 2, 36)");
        pruneEffects = dialect.deleteFirst("inbox_effects", """
                consumer_group = ? AND done_at < %1$s
                AND NOT EXISTS (SELECT 1 FROM inbox_held h WHERE h.consumer_group = inbox_effects.consumer_group
                                AND h.event_id = %2$s)
                AND NOT EXISTS (SELECT 1 FROM inbox_dead_letters d WHERE d.consumer_group = inbox_effects.consumer_group
                                AND d.event_id = %2$s)""".formatted(earlier, event), "done_at");
        String portable = portableStatus(dialect);
        status = dialect.choose(POSTGRES_STATUS, portable, portable);
    }

    private static String portableStatus(Dialect dialect) {
        return """
                SELECT n.g, coalesce(h.retrying, 0), coalesce(h.parked, 0), coalesce(d.letters, 0), coalesce(h.age, 0),
                       (SELECT p.processed_at FROM processed_events p WHERE p.consumer_group = n.g
                        AND p.outcome <> 'DEAD_LETTERED' ORDER BY p.processed_at DESC LIMIT 1),
                       coalesce(s.consumers, 0), s.since, s.reason
                FROM (SELECT DISTINCT consumer_group AS g FROM processed_events
                      UNION SELECT consumer_group FROM inbox_held
                      UNION SELECT consumer_group FROM inbox_dead_letters
                      UNION SELECT consumer_group FROM inbox_pauses WHERE expires_at > %1$s) n
                LEFT JOIN (SELECT consumer_group AS g, count(CASE WHEN state = 'RETRY' THEN 1 END) AS retrying,
                                  count(CASE WHEN state <> 'RETRY' THEN 1 END) AS parked,
                                  %2$s AS age
                           FROM inbox_held GROUP BY consumer_group) h ON h.g = n.g
                LEFT JOIN (SELECT consumer_group AS g, count(*) AS letters
                           FROM inbox_dead_letters GROUP BY consumer_group) d ON d.g = n.g
                LEFT JOIN (SELECT consumer_group AS g, count(*) AS consumers, min(paused_since) AS since, min(reason) AS reason
                           FROM inbox_pauses WHERE expires_at > %1$s GROUP BY consumer_group) s ON s.g = n.g
                WHERE (%3$s IS NULL OR n.g = ?) ORDER BY n.g""".formatted(
                dialect.clock(), dialect.secondsBetween("min(held_at)", dialect.clock()), dialect.typed(SqlType.TEXT));
    }
}
