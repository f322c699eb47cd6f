package io.waybill.jdbc.internal.queue;

import io.waybill.internal.StorableText;
import io.waybill.jdbc.internal.sql.Sql;
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

/** Settles batches: one statement for all published events, and one row of a batch statement for each other outcome. */
final class Settlement {
    private static final int MAX_ERROR_LENGTH = 4_000;

    private final List<Lease> leases;
    private final List<PublishOutcome> outcomes;

    /** The lane in which events are found by position; null if all events are found by id. */
    private final @Nullable Integer lane;

    private final QueueStatements statements;
    private final boolean deletes;
    private final List<Long> publishedByPosition = new ArrayList<>();
    private final List<UUID> publishedById = new ArrayList<>();
    private final List<List<@Nullable Object>> others = new ArrayList<>();
    private final Set<String> freedKeys = new LinkedHashSet<>();
    private int untouched;
    private int settled;

    private Settlement(Sql sql, List<LaneRequest> requests, @Nullable Integer lane, PublishedRow onSuccess) {
        this.leases = requests.stream().map(LaneRequest::lease).toList();
        this.outcomes = requests.stream()
                .flatMap(request -> request.outcomes().stream())
                .toList();
        this.lane = lane;
        this.statements = QueueStatements.of(sql);
        this.deletes = onSuccess == PublishedRow.DELETE;
        outcomes.forEach(this::sort);
    }

    static Settlement of(Sql sql, List<LaneRequest> requests, PublishedRow onSuccess) {
        List<LaneRequest> finished = requests.stream()
                .filter(request -> !request.outcomes().isEmpty())
                .toList();
        return new Settlement(
                sql, finished, finished.size() == 1 ? finished.get(0).lease().lane() : null, onSuccess);
    }

    /**
     * Settles by id, and accepts events that are settled already. Used when the answer to a commit was lost, so that the events may be
     * settled, and after a failover, where other events may have the positions of the claimed ones.
     */
    static void settleAgain(Connection connection, LaneRequest request, PublishedRow onSuccess) throws SQLException {
        Sql sql = Sql.on(connection);
        Settlement settlement = new Settlement(sql, List.of(request), null, onSuccess);
        StatementPipeline pipeline = new StatementPipeline(sql);
        settlement.settlePublished(pipeline);
        pipeline.send();
        settlement.settleOthers(sql);
    }

    List<PublishOutcome> outcomes() {
        return outcomes;
    }

    /** Adds the statements that settle published events. */
    void settlePublished(StatementPipeline pipeline) {
        if (!publishedByPosition.isEmpty()) {
            pipeline.update(
                    deletes ? statements.deleteByPosition : statements.markByPosition,
                    this::count,
                    lane,
                    publishedByPosition);
        }
        if (!publishedById.isEmpty()) {
            pipeline.update(deletes ? statements.deleteById : statements.markById, this::count, publishedById);
        }
    }

    private void count(int changed) {
        settled += changed;
    }

    /** Whether {@link #settleOthers} changes rows, and with them possibly the pending events. */
    boolean hasOthers() {
        return !others.isEmpty() || !freedKeys.isEmpty();
    }

    /** Settles the events that were not published, and frees parked events behind finished ones. */
    void settleOthers(Sql sql) throws SQLException {
        if (!others.isEmpty()) {
            count(sql.updateEach(statements.settleOther, others));
        }
        ParkedEvents.free(sql, freedKeys);
    }

    /** Throws unless each event was settled: its row must be unchanged since its claim. */
    void requireAll() {
        int expected = outcomes.size() - untouched;
        if (settled != expected) {
            throw new StoreException(
                    "Settled only " + settled + " of " + expected + " events of " + leases
                            + ": another session changed or deleted the other rows. The transaction is rolled back, and the lane is"
                            + " reconciled next.",
                    null);
        }
    }

    private void sort(PublishOutcome outcome) {
        boolean frees = outcome.claimed().retried();
        if (outcome instanceof PublishOutcome.Published p) {
            if (p.claimed().retried() || lane == null) {
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
                untouched++; // the claim of a first attempt does not change the event's row
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
                error == null ? new Sql.TypedNull(Types.VARCHAR) : StorableText.sanitize(error, MAX_ERROR_LENGTH),
                outcome.claimed().event().id(),
                outcome.claimed().retryCount()));
    }
}
