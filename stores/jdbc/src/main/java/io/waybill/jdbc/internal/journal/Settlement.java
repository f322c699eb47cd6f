package io.waybill.jdbc.internal.journal;

import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.SqlErrors;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.PublishOutcome;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Records what became of a batch of the journal: the cursor moves, and only what did not go out leaves a row.
 *
 * <p>What was released unsent at the end of the page stays ahead of the cursor and is read again. What was released in the
 * middle of it, with later events of other keys already published, goes to the side table instead: reading it again
 * would repeat those.
 */
final class Settlement {
    /**
     * An outcome without an error was not tried: it keeps its crashes and, when released, its due time. A later one would put
     * it behind its own successors.
     */
    private static final String HOLD = """
            INSERT INTO outbox_held AS h (id, seq, aggregate_id, state, retry_count, crash_count, next_attempt_at, last_error,
                                          dead_at, settled_at)
            SELECT o.id, o.seq, o.key, o.state, o.failed, CASE WHEN o.error IS NULL THEN o.failed ELSE 0 END,
                   CASE WHEN o.delay < 0 THEN 'infinity'::timestamptz
                        WHEN o.delay IS NOT NULL THEN now() + o.delay * interval '1 millisecond' END,
                   o.error, CASE WHEN o.state = 'DEAD_LETTER' THEN now() END,
                   CASE WHEN o.state IN ('DEAD_LETTER', 'PUBLISHED') THEN now() END
            FROM unnest(?::uuid[], ?::bigint[], ?::text[], ?::text[], ?::bigint[], ?::int[], ?::text[])
                AS o (id, seq, key, state, delay, failed, error)
            ON CONFLICT (id) DO UPDATE SET state = excluded.state,
                retry_count = h.retry_count + excluded.retry_count,
                crash_count = CASE WHEN excluded.last_error IS NULL THEN h.crash_count ELSE 0 END,
                next_attempt_at = CASE WHEN excluded.state = 'PENDING' AND excluded.last_error IS NULL
                                       THEN h.next_attempt_at ELSE excluded.next_attempt_at END,
                last_error = coalesce(excluded.last_error, h.last_error),
                dead_at = excluded.dead_at, settled_at = excluded.settled_at, locked_by = NULL, locked_until = NULL
            WHERE h.state = 'CLAIMED'""";

    private static final String RETRIED_DONE = "DELETE FROM outbox_held WHERE id = ANY (?) AND state = 'CLAIMED'";

    private static final int LONGEST_ERROR = 4_000;
    private static final Long FOR_EVER = -1L;

    private final List<UUID> retriedDone = new ArrayList<>();
    private final List<UUID> ids = new ArrayList<>();
    private final List<Long> positions = new ArrayList<>();
    private final List<String> keys = new ArrayList<>();
    private final List<String> states = new ArrayList<>();
    private final List<@Nullable Long> delays = new ArrayList<>();
    private final List<Integer> failed = new ArrayList<>();
    private final List<@Nullable String> errors = new ArrayList<>();
    private final Map<String, Long> freedKeys = new HashMap<>();
    private final Map<String, Long> waitingKeys = new HashMap<>();

    private long pos;

    private Settlement() {}

    /** @return the cursor behind what is settled */
    static Cursor settle(Connection connection, Cursor cursor, List<PublishOutcome> outcomes) throws SQLException {
        if (outcomes.isEmpty()) {
            return cursor;
        }
        Long claimed = cursor.claimed();
        if (claimed != null && allWentOutAtOnce(outcomes)) {
            requireClaimed(cursor, outcomes);
            return cursor.settledUpTo(claimed);
        }
        Settlement settlement = new Settlement();
        List<PublishOutcome> first = outcomes.stream()
                .filter(outcome -> !outcome.claimed().retried())
                .sorted(Comparator.comparingLong(outcome -> outcome.claimed().position()))
                .toList();
        Cursor moved = cursor;
        if (!first.isEmpty()) {
            requireClaimed(cursor, first);
            int kept = first.size();
            while (kept > 0 && first.get(kept - 1) instanceof PublishOutcome.Released) {
                kept--;
            }
            first.subList(0, kept).forEach(settlement::sort);
            // Parked events may stand between the last sent and the first released one: they have their rows already.
            boolean all = kept == first.size();
            long upTo =
                    all && claimed != null ? claimed : first.get(kept).claimed().position() - 1;
            moved = cursor.settledUpTo(upTo);
        }
        settlement.pos = moved.open() == null ? Long.MAX_VALUE : moved.pos();
        outcomes.stream().filter(outcome -> outcome.claimed().retried()).forEach(settlement::sort);
        settlement.write(connection);
        return moved;
    }

    /** The usual case leaves nothing to write, and nothing to put in order. */
    private static boolean allWentOutAtOnce(List<PublishOutcome> outcomes) {
        for (PublishOutcome outcome : outcomes) {
            if (!(outcome instanceof PublishOutcome.Published)
                    || outcome.claimed().retried()) {
                return false;
            }
        }
        return true;
    }

    private static void requireClaimed(Cursor cursor, List<PublishOutcome> first) {
        Long claimed = cursor.claimed();
        long low = Long.MAX_VALUE;
        long high = Long.MIN_VALUE;
        for (PublishOutcome outcome : first) {
            low = Math.min(low, outcome.claimed().position());
            high = Math.max(high, outcome.claimed().position());
        }
        if (claimed == null || low <= cursor.pos() || high > claimed) {
            throw new StoreException(
                    "Lane " + cursor.lane()
                            + " has no claim on the events to settle. Nothing was recorded; the lane is put"
                            + " in order first.",
                    null);
        }
    }

    private void sort(PublishOutcome outcome) {
        ClaimedEvent claimed = outcome.claimed();
        String key = claimed.event().key();
        if (outcome instanceof PublishOutcome.Published) {
            if (claimed.retried()) {
                if (claimed.position() <= pos) {
                    retriedDone.add(claimed.event().id());
                } else {
                    // Parked by a page that is still open, which will be read again: its row must tell that it went
                    // out.
                    hold(claimed, "PUBLISHED", null, 0, null);
                }
                freedKeys.merge(key, claimed.position(), Math::min);
            }
        } else if (outcome instanceof PublishOutcome.Retry r) {
            hold(claimed, "PENDING", r.delay().toMillis(), r.counted() ? 1 : 0, r.error());
            waitingKeys.merge(key, claimed.position(), Math::min);
        } else if (outcome instanceof PublishOutcome.Parked) {
            hold(claimed, "PARKED", FOR_EVER, 0, null);
        } else if (outcome instanceof PublishOutcome.Released) {
            hold(claimed, "PENDING", 0L, 0, null);
        } else if (outcome instanceof PublishOutcome.Dead d) {
            hold(claimed, "DEAD_LETTER", d.blocksKey() ? FOR_EVER : null, 1, d.error());
            if (d.blocksKey()) {
                waitingKeys.merge(key, claimed.position(), Math::min);
            } else if (claimed.retried()) {
                freedKeys.merge(key, claimed.position(), Math::min);
            }
        }
    }

    private void hold(ClaimedEvent claimed, String state, @Nullable Long delay, int failures, @Nullable String error) {
        ids.add(claimed.event().id());
        positions.add(claimed.position());
        keys.add(claimed.event().key());
        states.add(state);
        delays.add(delay);
        // A first attempt brings along the failures that ended its earlier owners; a retry has them in its row.
        failed.add(failures + (claimed.retried() ? 0 : claimed.retryCount()));
        errors.add(error == null ? null : SqlErrors.storable(error, LONGEST_ERROR));
    }

    private void write(Connection connection) throws SQLException {
        int settled = 0;
        if (!retriedDone.isEmpty()) {
            try (PreparedStatement delete = Sql.statement(connection, RETRIED_DONE)) {
                delete.setArray(1, connection.createArrayOf("uuid", retriedDone.toArray()));
                settled += delete.executeUpdate();
            }
        }
        if (!ids.isEmpty()) {
            try (PreparedStatement hold = Sql.statement(connection, HOLD)) {
                hold.setArray(1, connection.createArrayOf("uuid", ids.toArray()));
                hold.setArray(2, connection.createArrayOf("bigint", positions.toArray()));
                hold.setArray(3, connection.createArrayOf("text", keys.toArray()));
                hold.setArray(4, connection.createArrayOf("text", states.toArray()));
                hold.setArray(5, connection.createArrayOf("bigint", delays.toArray()));
                hold.setArray(6, connection.createArrayOf("int", failed.toArray()));
                hold.setArray(7, connection.createArrayOf("text", errors.toArray()));
                settled += hold.executeUpdate();
            }
        }
        if (settled != retriedDone.size() + ids.size()) {
            throw new StoreException(
                    "Settled " + settled + " of " + (retriedDone.size() + ids.size())
                            + " held events: somebody else changed the rest. Nothing was recorded.",
                    null);
        }
        if (!waitingKeys.isEmpty()) {
            HeldTable.parkBehind(Sql.on(connection), waitingKeys);
        }
        freedKeys.keySet().removeAll(waitingKeys.keySet());
        if (!freedKeys.isEmpty()) {
            HeldTable.unpark(Sql.on(connection), freedKeys);
        }
    }
}
