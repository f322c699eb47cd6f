package io.waybill.jdbc.internal.queue;

import io.waybill.jdbc.internal.admin.PausedEvents;
import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.lane.ClaimMarks;
import io.waybill.jdbc.internal.lane.LaneTable;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.PerDialect;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.StatementPipeline;
import java.util.List;

/**
 * The statements of the queue engine. Statements that differ by more than a fragment are in a subclass for each database. Their
 * parameters and columns are the same for all databases.
 */
abstract class QueueStatements {
    private static final String CRASHED = "retry_count = retry_count + 1, crash_count = crash_count + 1,"
            + " last_error = '" + LaneTable.CRASH_ERROR + "'";

    /** Selects and locks the due retries of a lane. */
    final String due;

    final String claimDue;
    final String unclaimRetries;

    /**
     * Selects the first attempts in the open claim of a lane. The result includes events of the range that were committed after the
     * claim, because nothing distinguishes them. The events are selected first and then updated by id: on MariaDB, an UPDATE by range
     * also waits for the row after the range. That row may belong to another lane, and a frozen relay may have locked it in an open
     * transaction.
     */
    final String claimedFirstAttempts;

    final String recoverFirstAttempts = "UPDATE outbox_events SET " + CRASHED + " WHERE id = ANY (?)";

    /** Selects the claimed retries of a lane. */
    final String claimedRetries;

    final String recoverRetries = "UPDATE outbox_events SET state = 'PENDING', locked_by = NULL, locked_until = NULL, "
            + CRASHED + " WHERE id = ANY (?)";

    /** Makes all retries due now. */
    final String makeRetriesDue;

    final String park;
    final String free = "UPDATE outbox_events SET state = 'PENDING', next_attempt_at = NULL WHERE id = ANY (?)";
    final String makeParkedDue;

    /** Selects and locks dead letters. */
    final String dead = """
            SELECT id, aggregate_id, seq FROM outbox_events
            WHERE id = ANY (?) AND dead_at IS NOT NULL AND state = 'DEAD_LETTER' ORDER BY seq FOR UPDATE""";

    /** Selects and locks events that wait for a retry in the future. */
    final String retries;

    /** Selects events of a lane that a pause has held. */
    final String heldByPause;

    /** Lets a dead letter block its key no longer. */
    final String unblock;

    final String replay;
    final String discard;

    /**
     * This statement and the next three settle published events: they mark or delete the rows, which they find by position or by id.
     *
     * <p>They need not check that the events are still claimed. The transaction has verified the fence, and only the owner of a lane
     * settles its events, so an event that was claimed under this fence and is open is still claimed.
     *
     * <p>First attempts of a single lane are found by position. The positions are adjacent in the lane's index, so this takes half the
     * time of a search by id. Positions identify the claimed events only while the claim is recorded: see {@link ClaimMarks}. Retries,
     * and events of several lanes, are found by id.
     */
    final String markByPosition;

    final String markById;
    final String deleteByPosition;
    final String deleteById;

    /**
     * Settles an event that was not published, if its row is unchanged since its claim. If the answer to an earlier commit was lost,
     * that transaction may have recorded the outcome already. The row then has one more failed attempt, or a time for the next one.
     * The condition excludes such a row, so that no failure is counted twice.
     *
     * <p>No assignment reads a column that an earlier assignment changes: MariaDB and MySQL assign from left to right, so it would read
     * the new value.
     */
    final String settleOther;

    private final String heldOfKey;

    QueueStatements(Dialect dialect, KeyColumns columns) {
        String now = dialect.now();
        String infinity = dialect.infinity();
        String lane = columns.lane("");
        due = "SELECT " + String.join(", ", EventRows.columns(dialect, 500)) + ", "
                + String.join(", ", position(dialect)) + ", e.crash_count, e.state"
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
        claimedFirstAttempts = "SELECT id FROM outbox_events WHERE " + lane + " = ?"
                + " AND processed_at IS NULL AND next_attempt_at IS NULL"
                + " AND seq >= (SELECT low FROM outbox_claims WHERE lane = ?)"
                + " AND seq <= (SELECT high FROM outbox_claims WHERE lane = ?) FOR UPDATE SKIP LOCKED";
        claimedRetries =
                "SELECT id FROM outbox_events WHERE " + lane + " = ? AND " + claimedRetry + " FOR UPDATE SKIP LOCKED";
        makeRetriesDue = "UPDATE outbox_events SET next_attempt_at = " + now + " WHERE " + lane
                + " IN (SELECT l.lane FROM outbox_lanes l) AND processed_at IS NULL AND "
                + dialect.isBefore("next_attempt_at", infinity) + " AND next_attempt_at > " + now
                + " AND state = 'PENDING'";
        park = "UPDATE outbox_events SET state = 'PARKED', next_attempt_at = " + infinity + " WHERE id = ANY (?)";
        makeParkedDue = "UPDATE outbox_events SET next_attempt_at = " + now + " WHERE id = ANY (?)";
        retries = "SELECT id, aggregate_id, seq FROM outbox_events WHERE id = ANY (?) AND processed_at IS NULL"
                + " AND state = 'PENDING' AND " + dialect.isBefore("next_attempt_at", infinity)
                + " AND next_attempt_at > " + now + " ORDER BY seq FOR UPDATE";
        heldByPause = "SELECT id FROM outbox_events WHERE " + lane + " = ? AND processed_at IS NULL AND "
                + dialect.isBefore("next_attempt_at", infinity) + " AND next_attempt_at > " + now
                + " AND state = 'PENDING' AND " + PausedEvents.condition() + " LIMIT ?";
        unblock = "UPDATE outbox_events SET processed_at = " + now
                + ", next_attempt_at = NULL WHERE id = ? AND processed_at IS NULL AND state = 'DEAD_LETTER'";
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
        heldOfKey = "SELECT id, state FROM outbox_events" + dialect.forceIndex("outbox_events_held") + " WHERE "
                + columns.isHeldOf("", "?") + " ORDER BY seq LIMIT ";
    }

    static QueueStatements of(Sql sql) {
        return of(sql.dialect());
    }

    static QueueStatements of(Dialect dialect) {
        return Composed.STATEMENTS.of(dialect);
    }

    /** A nested class, so that the initialization of this class does not depend on that of its subclasses. */
    private static final class Composed {
        static final PerDialect<QueueStatements> STATEMENTS =
                new PerDialect<>(PostgresQueueStatements::new, MariaDbQueueStatements::new, H2QueueStatements::new);
    }

    /** Returns the columns of a claim that follow those of the event. {@link ClaimColumns} reads them. */
    static List<String> position(Dialect dialect) {
        return List.of(
                "e.seq",
                "e.retry_count",
                "e.next_attempt_at IS NOT NULL AS retried",
                dialect.microsBetween("e.created_at", dialect.clock()) + " AS age_micros");
    }

    /** Selects the first held events of a key. */
    final String heldOfKey(int limit) {
        return heldOfKey + limit;
    }

    /**
     * Selects the fences of lanes and locks their claims. The columns are lane, owner, fence, whether a retry may be due, whether a claim
     * is open, and the mark of the claim. If the answer to an earlier commit was lost, the lock on the claims makes this
     * transaction wait until that one has ended. Every transaction that locks several lanes locks them in ascending order, so
     * there are no deadlocks.
     */
    abstract String fence();

    /** Selects those of the given lanes that have a due retry. */
    abstract String dueLanes();

    /** Selects those of the given lanes that have pending events or due retries. Both parameters are the same lanes. */
    abstract String ready();

    /** Deletes settled events. The parameters are their age in milliseconds and the largest number to delete. */
    abstract String prune();

    /** Selects key, id and state of the first held event of the next key. */
    abstract String nextKey();

    abstract String closeClaim();

    /**
     * Locks the claims of the lanes of these events. The rows of {@code outbox_lanes} stay unlocked, because heartbeats change them
     * and must not wait for an operator.
     */
    abstract String lockLanesOf();

    abstract PendingQuery pending();

    /** Adds a statement that records the open claims of these lanes and sets the new mark of each lane. */
    abstract void record(StatementPipeline pipeline, List<LaneClaim> lanes);
}
