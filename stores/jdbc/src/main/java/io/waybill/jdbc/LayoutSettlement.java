package io.waybill.jdbc;

import io.waybill.store.Outcome;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Tells the table that events were taken from what became of them, in the transaction that settles them. What it writes may be
 * written twice, so nothing has to be known about a settlement whose answer got lost.
 */
final class LayoutSettlement implements QueueStore.Settled {
    private static final String SOURCES = "SELECT id, source_id FROM outbox_sources WHERE id = ANY (?)";
    private static final String FORGET = "DELETE FROM outbox_sources WHERE id = ANY (?)";

    private final LayoutBinding binding;

    LayoutSettlement(LayoutBinding binding) {
        this.binding = binding;
    }

    @Override
    public void settled(Connection connection, List<Outcome> outcomes) throws SQLException {
        List<UUID> published = new ArrayList<>();
        List<UUID> failed = new ArrayList<>();
        List<UUID> dead = new ArrayList<>();
        for (Outcome outcome : outcomes) {
            UUID id = outcome.claimed().event().id();
            if (outcome instanceof Outcome.Published) {
                published.add(id);
            } else if (outcome instanceof Outcome.Retry) {
                failed.add(id);
            } else if (outcome instanceof Outcome.Dead) {
                dead.add(id);
            }
        }
        Sql sql = Sql.on(connection);
        published(connection, sql, published);
        other(connection, sql, failed, LayoutStep.FAILURE);
        other(connection, sql, dead, LayoutStep.DEAD);
    }

    private void published(Connection connection, Sql sql, List<UUID> ids) throws SQLException {
        if (ids.isEmpty()) {
            return;
        }
        Map<UUID, String> sources = sources(connection, sql, ids);
        List<String> rows = List.copyOf(sources.values());
        Counts counts = sql.query(binding.sql(connection).success(), Counts::read, rows);
        long waiting = counts.found == rows.size()
                ? counts.waiting
                : sql.query(
                        binding.sql(connection).countWaiting(),
                        row -> {
                            row.next();
                            return row.getLong(1);
                        },
                        rows);
        refuseWaiting(waiting, LayoutStep.SUCCESS);
        if (!binding.table(connection).sameIds()) {
            sql.update(FORGET, ids);
        }
    }

    private void other(Connection connection, Sql sql, List<UUID> ids, LayoutStep step) throws SQLException {
        String statement = binding.sql(connection).other(step);
        if (ids.isEmpty() || statement == null) {
            return;
        }
        Map<UUID, String> sources = sources(connection, sql, ids);
        Counts counts =
                sql.query(statement, Counts::read, List.copyOf(sources.keySet()), List.copyOf(sources.values()));
        if (step == LayoutStep.DEAD) {
            refuseWaiting(counts.waiting, step);
        }
    }

    private record Counts(long found, long waiting) {
        static Counts read(ResultSet row) throws SQLException {
            row.next();
            return new Counts(row.getLong(1), row.getLong(2));
        }
    }

    /** They would be taken in and published again, and again. */
    private void refuseWaiting(long rows, LayoutStep step) {
        if (rows > 0) {
            throw new StoreException(
                    rows + " rows of " + binding.layout().table() + " still wait after what layout "
                            + binding.layout().name() + " writes on " + step.label()
                            + ", or may not be changed. Correct its lines `waiting` and `" + step.label()
                            + "`, or the user's privileges; `waybill layout check` tries them. Nothing was recorded.",
                    null);
        }
    }

    private Map<UUID, String> sources(Connection connection, Sql sql, List<UUID> ids) throws SQLException {
        Map<UUID, String> sources = new HashMap<>();
        if (binding.table(connection).sameIds()) {
            ids.forEach(id -> sources.put(id, id.toString()));
            return sources;
        }
        return sql.query(
                SOURCES,
                row -> {
                    while (row.next()) {
                        sources.put(row.getObject(1, UUID.class), row.getString(2));
                    }
                    return sources;
                },
                ids);
    }
}
