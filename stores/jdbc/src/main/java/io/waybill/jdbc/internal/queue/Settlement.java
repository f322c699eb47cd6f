package io.waybill.jdbc.internal.queue;

import io.waybill.jdbc.JdbcQueue;
import io.waybill.jdbc.internal.lane.ClaimMarks;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.SqlErrors;
import io.waybill.jdbc.internal.sql.StatementPipeline;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Records what became of a batch: one statement for all that was published, one for each of the rest. */
final class Settlement {
    /**
     * The fence was proved before, and only the lane's owner settles: what was ours and is open still is ours. First attempts
     * are found where their claim found them, side by side in the index of the lane, which takes half the time of
     * looking each one up by its id; when they are of several lanes, ids it is. Positions are safe only while the database knows the
     * claim: see {@link ClaimMarks}.
     */
    private static final String BY_POSITION = " WHERE outbox_lane(aggregate_id) = ? AND seq = ANY (?)"
            + " AND processed_at IS NULL AND next_attempt_at IS NULL";

    private static final String BY_ID = " WHERE id = ANY (?) AND processed_at IS NULL";

    private static final String MARK = "UPDATE outbox_events SET state = 'PUBLISHED', processed_at = now(),"
            + " next_attempt_at = NULL, locked_by = NULL, locked_until = NULL";

    private static final String DELETE = "DELETE FROM outbox_events";

    /**
     * Changes an event that is as its claim found it. A transaction whose answer got lost may have recorded the outcome already: the
     * event then has one failure more, or waits for its next attempt, and must not be counted again. Assigns nothing that it reads:
     * in MariaDB the order would count.
     */
    private static final String SETTLE_OTHER = """
            UPDATE outbox_events
            SET state = ?,
                retry_count = retry_count + ?,
                crash_count = CASE WHEN ? THEN 0 ELSE crash_count END,
                next_attempt_at = CASE WHEN ? THEN 'infinity' WHEN ? THEN now() + ? * interval '1 millisecond'
                                       WHEN ? THEN next_attempt_at END,
                processed_at = CASE WHEN ? THEN now() END,
                dead_at = CASE WHEN ? THEN now() END,
                last_error = coalesce(?, last_error),
                locked_by = NULL, locked_until = NULL
            WHERE id = ? AND processed_at IS NULL AND retry_count = ?
              AND (state = 'CLAIMED' OR state = 'PENDING' AND next_attempt_at IS NULL)""";

    private static final int LONGEST_ERROR = 4_000;

    /** For what is settled by its ids alone. */
    private static final int NO_LANE = -1;

    private final List<Lease> leases;
    private final List<PublishOutcome> outcomes;
    private final int lane;
    private final String change;
    private final List<Long> publishedByPosition = new ArrayList<>();
    private final List<UUID> publishedById = new ArrayList<>();
    private final List<List<@Nullable Object>> others = new ArrayList<>();
    private final Set<String> freedKeys = new LinkedHashSet<>();
    private int untouched;
    private int settled;

    private Settlement(List<LaneRequest> turns, int lane, JdbcQueue.OnSuccess onSuccess) {
        this.leases = turns.stream().map(LaneRequest::lease).toList();
        this.outcomes = turns.stream().flatMap(turn -> turn.outcomes().stream()).toList();
        this.lane = lane;
        this.change = onSuccess == JdbcQueue.OnSuccess.DELETE ? DELETE : MARK;
        outcomes.forEach(this::sort);
    }

    static Settlement of(List<LaneRequest> turns, JdbcQueue.OnSuccess onSuccess) {
        List<LaneRequest> done =
                turns.stream().filter(turn -> !turn.outcomes().isEmpty()).toList();
        return new Settlement(done, done.size() == 1 ? done.get(0).lease().lane() : NO_LANE, onSuccess);
    }

    /**
     * After a transaction whose answer got lost, which may have settled them already, or after a failover, where others may stand
     * in their places.
     */
    static void settleAgain(Connection connection, LaneRequest turn, JdbcQueue.OnSuccess onSuccess)
            throws SQLException {
        Sql sql = Sql.on(connection);
        Settlement settlement = new Settlement(List.of(turn), NO_LANE, onSuccess);
        StatementPipeline message = new StatementPipeline(sql);
        settlement.published(message);
        message.send();
        settlement.others(sql);
    }

    List<PublishOutcome> outcomes() {
        return outcomes;
    }

    /** Has what was published recorded. */
    void published(StatementPipeline message) {
        if (!publishedByPosition.isEmpty()) {
            message.update(change + BY_POSITION, this::count, lane, publishedByPosition);
        }
        if (!publishedById.isEmpty()) {
            message.update(change + BY_ID, this::count, publishedById);
        }
    }

    private void count(int changed) {
        settled += changed;
    }

    /** Whether anything else is to be recorded, which may change what waits. */
    boolean hasOthers() {
        return !others.isEmpty() || !freedKeys.isEmpty();
    }

    void others(Sql sql) throws SQLException {
        if (!others.isEmpty()) {
            count(sql.updateEach(SETTLE_OTHER, others));
        }
        ParkedEvents.free(sql, freedKeys);
    }

    /** Every event must have been found as we left it. */
    void requireAll() {
        int expected = outcomes.size() - untouched;
        if (settled != expected) {
            throw new StoreException(
                    "Settled " + settled + " of " + expected + " events of " + leases
                            + ": somebody else changed the rest. Nothing was recorded; the lane is put in order first.",
                    null);
        }
    }

    private void sort(PublishOutcome outcome) {
        boolean frees = outcome.claimed().retried();
        if (outcome instanceof PublishOutcome.Published p) {
            if (p.claimed().retried() || lane == NO_LANE) {
                publishedById.add(p.claimed().event().id());
            } else {
                publishedByPosition.add(p.claimed().position());
            }
        } else if (outcome instanceof PublishOutcome.Retry r) {
            other(r, "PENDING", r.delay().toMillis(), false, r.counted() ? 1 : 0, r.error());
            frees = false;
        } else if (outcome instanceof PublishOutcome.Parked p) {
            other(p, "PARKED", null, true, 0, null);
            frees = false;
        } else if (outcome instanceof PublishOutcome.Released r) {
            if (r.claimed().retried()) {
                other(r, "PENDING", null, false, 0, null);
            } else {
                untouched++; // its claim never touched its row
            }
            frees = false;
        } else if (outcome instanceof PublishOutcome.Dead d) {
            other(d, "DEAD_LETTER", null, d.blocksKey(), 1, d.error());
            frees &= !d.blocksKey();
        }
        if (frees) {
            freedKeys.add(outcome.claimed().event().key());
        }
    }

    private void other(
            PublishOutcome outcome,
            String state,
            @Nullable Long delay,
            boolean holds,
            int failures,
            @Nullable String error) {
        boolean pending = state.equals("PENDING");
        boolean dead = state.equals("DEAD_LETTER");
        others.add(Arrays.asList(
                state,
                failures,
                pending && delay != null,
                holds,
                delay != null,
                delay == null ? 0L : delay,
                pending,
                dead && !holds,
                dead,
                error == null ? new Sql.Null(Types.VARCHAR) : SqlErrors.storable(error, LONGEST_ERROR),
                outcome.claimed().event().id(),
                outcome.claimed().retryCount()));
    }
}
