package io.waybill.jdbc.internal.queue;

import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.lane.ClaimMarks;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.PerDialect;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.StatementPipeline;
import java.util.List;

/**
 * The statements of the queue engine. Those that differ by more than a fragment are written in the subclass of each database;
 * their parameters and columns are the same everywhere.
 */
abstract class QueueStatements {
    private static final String CRASHED = "retry_count = retry_count + 1, crash_count = crash_count + 1,"
            + " last_error = 'The relay that held this event ended before it was settled.'";

    /** Retries of a lane that are due, locked. */
    final String due;

    final String claimDue;
    final String unclaimRetries;

    /**
     * First attempts in the open claim of a lane. Events of the range that were committed after the claim are counted with it; they
     * cannot be told apart. The events are found first and then changed by their ids, because on MariaDB a search also waits for
     * the row behind the last one, which may belong to another lane, in the open transaction of a frozen relay.
     */
    final String heldFirstAttempts;

    final String recoverFirstAttempts = "UPDATE outbox_events SET " + CRASHED + " WHERE id = ANY (?)";

    /** Claimed retries of a lane. */
    final String heldRetries;

    final String recoverRetries = "UPDATE outbox_events SET state = 'PENDING', locked_by = NULL, locked_until = NULL, "
            + CRASHED + " WHERE id = ANY (?)";

    /** Makes retries due whose time lies ahead. */
    final String retryNow;

    final String park;
    final String free = "UPDATE outbox_events SET state = 'PENDING', next_attempt_at = NULL WHERE id = ANY (?)";
    final String freeLater;

    /** Dead letters, locked. */
    final String dead = """
            SELECT id, aggregate_id, seq FROM outbox_events
            WHERE id = ANY (?) AND dead_at IS NOT NULL AND state = 'DEAD_LETTER' ORDER BY seq FOR UPDATE""";

    final String replay;
    final String discard;

    /**
     * Settle published events. The fence is proved before, and only the lane's owner settles: an event that was claimed under this
     * fence and is still open is still claimed. First attempts are found by position, where their claim found them, side by side in
     * the index of the lane; that takes half the time of a lookup by id. Events of several lanes are found by id. Positions are
     * safe only while the database knows the claim: see {@link ClaimMarks}.
     */
    final String markByPosition;

    final String markById;
    final String deleteByPosition;
    final String deleteById;

    /**
     * Settles an event that is as its claim found it. A transaction whose answer got lost may have recorded the outcome already: the
     * event then has one more failure, or waits for its next attempt, and must not be counted again. The statement assigns no
     * column that it reads: MariaDB assigns in order, and later assignments would see the new value.
     */
    final String settleOther;

    private final String heldOfKey;

    QueueStatements(Dialect dialect, KeyColumns columns) {
        String now = dialect.now();
        String infinity = dialect.infinity();
        String lane = columns.lane("");
        due = "SELECT " + EventRows.upTo(dialect, 500) + position(dialect) + ", e.crash_count, e.state"
                + " FROM outbox_events e WHERE " + columns.lane("e.") + " = ? AND e.processed_at IS NULL AND "
                + dialect.isBefore("e.next_attempt_at", infinity) + " AND e.next_attempt_at <= " + now
                + " ORDER BY e.next_attempt_at LIMIT ? FOR UPDATE SKIP LOCKED";
        claimDue = """
                UPDATE outbox_events SET state = 'CLAIMED', locked_by = ?,
                    locked_until = (SELECT l.expires_at FROM outbox_lanes l WHERE l.lane = ?)
                WHERE id = ANY (?)""";
        String claimedRetry =
                "processed_at IS NULL AND " + dialect.isBefore("next_attempt_at", infinity) + " AND state = 'CLAIMED'";
        unclaimRetries = "UPDATE outbox_events SET state = 'PENDING', locked_by = NULL, locked_until = NULL" + " WHERE "
                + lane + " = ANY (?) AND " + claimedRetry;
        heldFirstAttempts = "SELECT id FROM outbox_events WHERE " + lane + " = ?"
                + " AND processed_at IS NULL AND next_attempt_at IS NULL"
                + " AND seq >= (SELECT low FROM outbox_claims WHERE lane = ?)"
                + " AND seq <= (SELECT high FROM outbox_claims WHERE lane = ?) FOR UPDATE SKIP LOCKED";
        heldRetries =
                "SELECT id FROM outbox_events WHERE " + lane + " = ? AND " + claimedRetry + " FOR UPDATE SKIP LOCKED";
        retryNow = "UPDATE outbox_events SET next_attempt_at = " + now + " WHERE " + lane
                + " IN (SELECT l.lane FROM outbox_lanes l) AND processed_at IS NULL AND "
                + dialect.isBefore("next_attempt_at", infinity) + " AND next_attempt_at > " + now
                + " AND state = 'PENDING'";
        park = "UPDATE outbox_events SET state = 'PARKED', next_attempt_at = " + infinity + " WHERE id = ANY (?)";
        freeLater = "UPDATE outbox_events SET next_attempt_at = " + now + " WHERE id = ANY (?)";
        replay = "UPDATE outbox_events SET state = ?, next_attempt_at = CASE WHEN ? THEN " + now + " ELSE " + infinity
                + " END, retry_count = 0, crash_count = 0, processed_at = NULL, dead_at = NULL WHERE id = ANY (?)";
        discard = "UPDATE outbox_events SET state = 'DISCARDED', processed_at = " + now
                + ", dead_at = NULL, next_attempt_at = NULL WHERE id = ANY (?)";
        String mark = "UPDATE outbox_events SET state = 'PUBLISHED', processed_at = " + now
                + ", next_attempt_at = NULL, locked_by = NULL, locked_until = NULL";
        String delete = "DELETE FROM outbox_events";
        String byPosition =
                " WHERE " + lane + " = ? AND seq = ANY (?) AND processed_at IS NULL AND next_attempt_at IS NULL";
        String byId = " WHERE id = ANY (?) AND processed_at IS NULL";
        markByPosition = mark + byPosition;
        markById = mark + byId;
        deleteByPosition = delete + byPosition;
        deleteById = delete + byId;
        settleOther = """
                UPDATE outbox_events
                SET state = ?,
                    retry_count = retry_count + ?,
                    crash_count = CASE WHEN ? THEN 0 ELSE crash_count END,
                    next_attempt_at = CASE WHEN ? THEN %1$s WHEN ? THEN %2$s WHEN ? THEN next_attempt_at END,
                    processed_at = CASE WHEN ? THEN %3$s END,
                    dead_at = CASE WHEN ? THEN %3$s END,
                    last_error = coalesce(?, last_error),
                    locked_by = NULL, locked_until = NULL
                WHERE id = ? AND processed_at IS NULL AND retry_count = ?
                  AND (state = 'CLAIMED' OR state = 'PENDING' AND next_attempt_at IS NULL)""".formatted(infinity, dialect.plusMillis(now), now);
        heldOfKey = "SELECT id, state FROM outbox_events WHERE " + columns.isHeldOf("", "?") + " ORDER BY seq LIMIT ";
    }

    static QueueStatements of(Sql sql) {
        return of(sql.dialect());
    }

    static QueueStatements of(Dialect dialect) {
        return Composed.STATEMENTS.of(dialect);
    }

    /** A class of its own, so that the initialization of this class does not need that of its subclasses. */
    private static final class Composed {
        static final PerDialect<QueueStatements> STATEMENTS =
                new PerDialect<>(PostgresQueueStatements::new, MariaDbQueueStatements::new, H2QueueStatements::new);
    }

    /** The columns of a claim that follow those of the event; {@link ClaimColumns} reads them. */
    static String position(Dialect dialect) {
        return ", e.seq, e.retry_count, e.next_attempt_at IS NOT NULL AS retried, "
                + dialect.microsBetween("e.created_at", dialect.clock()) + " AS age_micros";
    }

    /** The first held events of a key. */
    final String heldOfKey(int limit) {
        return heldOfKey + limit;
    }

    /**
     * Proves the fences of lanes and locks their claims: lane, owner, fence, whether a retry may be due, whether a claim is open, mark
     * of the claim. The lock on the claims lets a transaction whose answer got lost end before its successor reads what it left
     * behind. Every transaction that locks several lanes does so in their order.
     */
    abstract String fence();

    /** The lanes among those given where a retry is due. */
    abstract String dueLanes();

    /** The lanes among those given where events wait, and those among the same lanes, given again, where a retry is due. */
    abstract String ready();

    /** Deletes settled events, given an age in milliseconds and a limit. */
    abstract String prune();

    /** Key, id and state of the first held event of the next key. */
    abstract String nextKey();

    abstract String closeClaim();

    /**
     * Locks the claims of the lanes of these events. The rows of the lanes themselves stay free: heartbeats change those, and must
     * not wait for an operator.
     */
    abstract String lockLanesOf();

    abstract PendingQuery pending();

    /** Adds a statement that writes the open claims of these lanes, and gives each lane the new mark of its row. */
    abstract void record(StatementPipeline message, List<LaneClaim> lanes);
}
