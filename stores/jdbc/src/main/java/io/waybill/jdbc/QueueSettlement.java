package io.waybill.jdbc;

import io.waybill.store.Lease;
import io.waybill.store.Outcome;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Records what became of a batch: one statement for all that was published, one for the rest, if there is any. */
final class QueueSettlement {
    /**
     * The fence was proved before, and only the lane's owner settles: what was ours and is open still is ours. First attempts
     * are found where their claim found them, side by side in the index of the lane, which takes half the time of
     * looking each one up by its id. That is safe only while the database knows the claim: see {@link ClaimMarks}.
     */
    private static final String BY_POSITION = " WHERE outbox_lane(aggregate_id) = ? AND seq = ANY (?)"
            + " AND processed_at IS NULL AND next_attempt_at IS NULL";

    private static final String BY_ID = " WHERE id = ANY (?) AND processed_at IS NULL";

    private static final String MARK = "UPDATE outbox_events SET state = 'PUBLISHED', processed_at = now(),"
            + " next_attempt_at = NULL, locked_by = NULL, locked_until = NULL";

    private static final String DELETE = "DELETE FROM outbox_events";

    private static final String SETTLE_OTHERS = """
            UPDATE outbox_events e
            SET state = o.state,
                retry_count = e.retry_count + o.failed,
                crash_count = CASE WHEN o.state = 'PENDING' AND o.delay IS NOT NULL THEN 0 ELSE e.crash_count END,
                next_attempt_at = CASE WHEN o.held THEN 'infinity'::timestamptz
                                       WHEN o.delay IS NOT NULL THEN now() + o.delay * interval '1 millisecond'
                                       WHEN o.state = 'PENDING' THEN e.next_attempt_at END,
                processed_at = CASE WHEN o.state = 'DEAD_LETTER' AND NOT o.held THEN now() END,
                dead_at = CASE WHEN o.state = 'DEAD_LETTER' THEN now() END,
                last_error = coalesce(o.error, e.last_error),
                locked_by = NULL, locked_until = NULL
            FROM unnest(?::uuid[], ?::text[], ?::bigint[], ?::boolean[], ?::int[], ?::text[])
                AS o (id, state, delay, held, failed, error)
            WHERE e.id = o.id AND e.processed_at IS NULL AND e.state IN ('PENDING', 'CLAIMED')""";

    /** The same for one event, where a statement takes no lists. Assigns nothing that it reads: in MariaDB the order would count. */
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
            WHERE id = ? AND processed_at IS NULL AND state IN ('PENDING', 'CLAIMED')""";

    private static final String UNPARK = """
            UPDATE outbox_events SET state = 'PENDING', next_attempt_at = NULL
            WHERE aggregate_id = ANY (?) AND processed_at IS NULL AND next_attempt_at IS NOT NULL AND state = 'PARKED'""";

    private static final int LONGEST_ERROR = 4_000;

    private final List<Long> publishedByPosition = new ArrayList<>();
    private final List<UUID> publishedById = new ArrayList<>();
    private final List<UUID> others = new ArrayList<>();
    private final List<String> states = new ArrayList<>();
    private final List<@Nullable Long> delays = new ArrayList<>();
    private final List<Boolean> held = new ArrayList<>();
    private final List<Integer> failed = new ArrayList<>();
    private final List<@Nullable String> errors = new ArrayList<>();
    private final Set<String> freedKeys = new LinkedHashSet<>();
    private int untouched;

    private QueueSettlement(List<Outcome> outcomes, boolean byPosition) {
        outcomes.forEach(outcome -> sort(outcome, byPosition));
    }

    /**
     * @param strict whether every event must be found as we left it; not after a transaction whose answer got lost, which
     *     may have settled them already, nor after a failover, where others may stand in their places
     */
    static void settle(
            Connection connection, Lease lease, List<Outcome> outcomes, JdbcQueue.OnSuccess onSuccess, boolean strict)
            throws SQLException {
        if (outcomes.isEmpty()) {
            return;
        }
        QueueSettlement settlement = new QueueSettlement(outcomes, strict);
        Sql sql = Sql.on(connection);
        int settled = settlement.settlePublished(sql, lease.lane(), onSuccess) + settlement.settleOthers(sql);
        int expected = outcomes.size() - settlement.untouched;
        if (strict && settled != expected) {
            throw new StoreException(
                    "Settled " + settled + " of " + expected + " events of " + lease
                            + ": somebody else changed the rest. Nothing was recorded; the lane is put in order first.",
                    null);
        }
        if (!settlement.freedKeys.isEmpty()) {
            unpark(sql, settlement.freedKeys);
        }
    }

    private void sort(Outcome outcome, boolean byPosition) {
        boolean frees = outcome.claimed().retried();
        if (outcome instanceof Outcome.Published p) {
            if (p.claimed().retried() || !byPosition) {
                publishedById.add(p.claimed().event().id());
            } else {
                publishedByPosition.add(p.claimed().position());
            }
        } else if (outcome instanceof Outcome.Retry r) {
            other(r, "PENDING", r.delay().toMillis(), false, r.counted() ? 1 : 0, r.error());
            frees = false;
        } else if (outcome instanceof Outcome.Parked p) {
            other(p, "PARKED", null, true, 0, null);
            frees = false;
        } else if (outcome instanceof Outcome.Released r) {
            if (r.claimed().retried()) {
                other(r, "PENDING", null, false, 0, null);
            } else {
                untouched++; // its claim never touched its row
            }
            frees = false;
        } else if (outcome instanceof Outcome.Dead d) {
            other(d, "DEAD_LETTER", null, d.blocksKey(), 1, d.error());
            frees &= !d.blocksKey();
        }
        if (frees) {
            freedKeys.add(outcome.claimed().event().key());
        }
    }

    private void other(
            Outcome outcome, String state, @Nullable Long delay, boolean holds, int failures, @Nullable String error) {
        others.add(outcome.claimed().event().id());
        states.add(state);
        delays.add(delay);
        held.add(holds);
        failed.add(failures);
        errors.add(error == null ? null : SqlErrors.storable(error, LONGEST_ERROR));
    }

    private int settlePublished(Sql sql, int lane, JdbcQueue.OnSuccess onSuccess) throws SQLException {
        String change = onSuccess == JdbcQueue.OnSuccess.DELETE ? DELETE : MARK;
        int settled = 0;
        if (!publishedByPosition.isEmpty()) {
            settled += sql.update(change + BY_POSITION, lane, publishedByPosition);
        }
        if (!publishedById.isEmpty()) {
            settled += sql.update(change + BY_ID, publishedById);
        }
        return settled;
    }

    private int settleOthers(Sql sql) throws SQLException {
        if (others.isEmpty()) {
            return 0;
        }
        if (sql.dialect().setBased()) {
            return sql.update(SETTLE_OTHERS, others, states, delays, held, failed, errors);
        }
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (int i = 0; i < others.size(); i++) {
            String state = states.get(i);
            Long delay = delays.get(i);
            boolean pending = state.equals("PENDING");
            boolean dead = state.equals("DEAD_LETTER");
            rows.add(Arrays.asList(
                    state,
                    failed.get(i),
                    pending && delay != null,
                    held.get(i),
                    delay != null,
                    delay == null ? 0L : delay,
                    pending,
                    dead && !held.get(i),
                    dead,
                    errors.get(i),
                    others.get(i)));
        }
        return sql.updateEach(SETTLE_OTHER, rows);
    }

    /** Lets parked events of these keys be claimed again; a claim parks them anew where something still holds them back. */
    static void unpark(Sql sql, Set<String> keys) throws SQLException {
        sql.update(UNPARK, keys);
    }
}
