package io.waybill.jdbc.internal.journal;

import io.waybill.internal.StorableText;
import io.waybill.jdbc.internal.sql.Sql;
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
 * Records the outcomes of a batch of the journal: it moves the cursor, and writes a row only for events that were not
 * published.
 *
 * <p>Events that were released unsent at the end of a page stay ahead of the cursor and are read again. Events that were
 * released in the middle of a page, before later events of other keys that are published, get a row in the side table
 * instead: reading the page again would publish those later events twice.
 */
final class CursorSettlement {
    /**
     * An outcome without an error means that the event was not sent: it keeps its crash count and, when released, its due
     * time. A later due time would put it behind later events of its key.
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

    private static final String DELETE_PUBLISHED_RETRIES =
            "DELETE FROM outbox_held WHERE id = ANY (?) AND state = 'CLAIMED'";

    private static final int MAX_ERROR_LENGTH = 4_000;
    /** A delay after which the event never becomes due by itself. */
    private static final Long NEVER = -1L;

    private final List<UUID> publishedRetries = new ArrayList<>();
    private final List<UUID> ids = new ArrayList<>();
    private final List<Long> positions = new ArrayList<>();
    private final List<String> keys = new ArrayList<>();
    private final List<String> states = new ArrayList<>();
    private final List<@Nullable Long> delays = new ArrayList<>();
    private final List<Integer> failed = new ArrayList<>();
    private final List<@Nullable String> errors = new ArrayList<>();
    private final Map<String, Long> releasedKeys = new HashMap<>();
    private final Map<String, Long> blockedKeys = new HashMap<>();

    private long pos;

    private CursorSettlement() {}

    /** @return the cursor with its position after the settled events */
    static Cursor settle(Connection connection, Cursor cursor, List<PublishOutcome> outcomes) throws SQLException {
        if (outcomes.isEmpty()) {
            return cursor;
        }
        Long claimed = cursor.claimed();
        if (claimed != null && allPublishedAtFirstAttempt(outcomes)) {
            requireClaimed(cursor, outcomes);
            return cursor.settledUpTo(claimed);
        }
        CursorSettlement settlement = new CursorSettlement();
        List<PublishOutcome> firstAttempts = outcomes.stream()
                .filter(outcome -> !outcome.claimed().retried())
                .sorted(Comparator.comparingLong(outcome -> outcome.claimed().position()))
                .toList();
        Cursor moved = cursor;
        if (!firstAttempts.isEmpty()) {
            requireClaimed(cursor, firstAttempts);
            int kept = firstAttempts.size();
            while (kept > 0 && firstAttempts.get(kept - 1) instanceof PublishOutcome.Released) {
                kept--;
            }
            firstAttempts.subList(0, kept).forEach(settlement::add);
            // Parked events may lie between the last sent event and the first released one. They already have rows.
            boolean all = kept == firstAttempts.size();
            long upTo = all && claimed != null
                    ? claimed
                    : firstAttempts.get(kept).claimed().position() - 1;
            moved = cursor.settledUpTo(upTo);
        }
        settlement.pos = moved.open() == null ? Long.MAX_VALUE : moved.pos();
        outcomes.stream().filter(outcome -> outcome.claimed().retried()).forEach(settlement::add);
        settlement.write(connection);
        return moved;
    }

    /** The usual case: no row to write, and no need to sort the outcomes. */
    private static boolean allPublishedAtFirstAttempt(List<PublishOutcome> outcomes) {
        for (PublishOutcome outcome : outcomes) {
            if (!(outcome instanceof PublishOutcome.Published)
                    || outcome.claimed().retried()) {
                return false;
            }
        }
        return true;
    }

    private static void requireClaimed(Cursor cursor, List<PublishOutcome> firstAttempts) {
        Long claimed = cursor.claimed();
        long low = Long.MAX_VALUE;
        long high = Long.MIN_VALUE;
        for (PublishOutcome outcome : firstAttempts) {
            low = Math.min(low, outcome.claimed().position());
            high = Math.max(high, outcome.claimed().position());
        }
        if (claimed == null || low <= cursor.pos() || high > claimed) {
            throw new StoreException(
                    "Lane " + cursor.lane()
                            + " has no claim on the events to settle. Nothing was recorded; the relay reconciles the lane"
                            + " and continues.",
                    null);
        }
    }

    private void add(PublishOutcome outcome) {
        ClaimedEvent claimed = outcome.claimed();
        String key = claimed.event().key();
        if (outcome instanceof PublishOutcome.Published) {
            if (claimed.retried()) {
                if (claimed.position() <= pos) {
                    publishedRetries.add(claimed.event().id());
                } else {
                    // The page that parked this event is still open and will be read again. The row marks the event as
                    // published, so that the second read skips it.
                    hold(claimed, "PUBLISHED", null, 0, null);
                }
                releasedKeys.merge(key, claimed.position(), Math::min);
            }
        } else if (outcome instanceof PublishOutcome.Retry r) {
            hold(claimed, "PENDING", r.delay().toMillis(), r.counted() ? 1 : 0, r.error());
            blockedKeys.merge(key, claimed.position(), Math::min);
        } else if (outcome instanceof PublishOutcome.Parked) {
            hold(claimed, "PARKED", NEVER, 0, null);
        } else if (outcome instanceof PublishOutcome.Released) {
            hold(claimed, "PENDING", 0L, 0, null);
        } else if (outcome instanceof PublishOutcome.Dead d) {
            hold(claimed, "DEAD_LETTER", d.blocksKey() ? NEVER : null, 1, d.error());
            if (d.blocksKey()) {
                blockedKeys.merge(key, claimed.position(), Math::min);
            } else if (claimed.retried()) {
                releasedKeys.merge(key, claimed.position(), Math::min);
            }
        }
    }

    private void hold(ClaimedEvent claimed, String state, @Nullable Long delay, int failures, @Nullable String error) {
        ids.add(claimed.event().id());
        positions.add(claimed.position());
        keys.add(claimed.event().key());
        states.add(state);
        delays.add(delay);
        // A first attempt carries the crashes of its earlier owners; a retry has them in its row.
        failed.add(failures + (claimed.retried() ? 0 : claimed.retryCount()));
        errors.add(error == null ? null : StorableText.sanitize(error, MAX_ERROR_LENGTH));
    }

    private void write(Connection connection) throws SQLException {
        int settled = 0;
        if (!publishedRetries.isEmpty()) {
            try (PreparedStatement delete = Sql.statement(connection, DELETE_PUBLISHED_RETRIES)) {
                delete.setArray(1, connection.createArrayOf("uuid", publishedRetries.toArray()));
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
        if (settled != publishedRetries.size() + ids.size()) {
            throw new StoreException(
                    "Settled " + settled + " of " + (publishedRetries.size() + ids.size())
                            + " held events: another session changed the other rows. Nothing was recorded.",
                    null);
        }
        if (!blockedKeys.isEmpty()) {
            OutboxHeldTable.parkBehind(Sql.on(connection), blockedKeys);
        }
        releasedKeys.keySet().removeAll(blockedKeys.keySet());
        if (!releasedKeys.isEmpty()) {
            OutboxHeldTable.unpark(Sql.on(connection), releasedKeys);
        }
    }
}
