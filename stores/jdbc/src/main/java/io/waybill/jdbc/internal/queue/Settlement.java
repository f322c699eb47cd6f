package io.waybill.jdbc.internal.queue;

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
    private static final int LONGEST_ERROR = 4_000;

    /** For what is settled by its ids alone. */
    private static final int NO_LANE = -1;

    private final List<Lease> leases;
    private final List<PublishOutcome> outcomes;
    private final int lane;
    private final QueueStatements statements;
    private final boolean deletes;
    private final List<Long> publishedByPosition = new ArrayList<>();
    private final List<UUID> publishedById = new ArrayList<>();
    private final List<List<@Nullable Object>> others = new ArrayList<>();
    private final Set<String> freedKeys = new LinkedHashSet<>();
    private int untouched;
    private int settled;

    private Settlement(Sql sql, List<LaneRequest> turns, int lane, PublishedRow onSuccess) {
        this.leases = turns.stream().map(LaneRequest::lease).toList();
        this.outcomes = turns.stream().flatMap(turn -> turn.outcomes().stream()).toList();
        this.lane = lane;
        this.statements = QueueStatements.of(sql);
        this.deletes = onSuccess == PublishedRow.DELETE;
        outcomes.forEach(this::sort);
    }

    static Settlement of(Sql sql, List<LaneRequest> turns, PublishedRow onSuccess) {
        List<LaneRequest> done =
                turns.stream().filter(turn -> !turn.outcomes().isEmpty()).toList();
        return new Settlement(sql, done, done.size() == 1 ? done.get(0).lease().lane() : NO_LANE, onSuccess);
    }

    /**
     * After a transaction whose answer got lost, which may have settled them already, or after a failover, where others may stand
     * in their places.
     */
    static void settleAgain(Connection connection, LaneRequest turn, PublishedRow onSuccess) throws SQLException {
        Sql sql = Sql.on(connection);
        Settlement settlement = new Settlement(sql, List.of(turn), NO_LANE, onSuccess);
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
            message.update(
                    deletes ? statements.deleteByPosition : statements.markByPosition,
                    this::count,
                    lane,
                    publishedByPosition);
        }
        if (!publishedById.isEmpty()) {
            message.update(deletes ? statements.deleteById : statements.markById, this::count, publishedById);
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
            count(sql.updateEach(statements.settleOther, others));
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
