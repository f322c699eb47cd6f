package io.waybill.jdbc.layout;

import io.waybill.jdbc.internal.queue.QueueStore;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.store.PublishOutcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Tells the table that events were taken from what became of them, in the transaction that settles them. What it writes may be
 * written twice, so nothing has to be known about a settlement whose answer got lost.
 *
 * <p>The application may have locked a row, locked its whole table, or taken a privilege away. The events were published all the
 * same, and other keys must not wait: Waybill's own tables then remember what is owed to the table, see {@link PendingWriteBacks}, and
 * the intake writes it as soon as it can.
 */
final class WriteBackSettlement implements QueueStore.Settled {
    private final WriteBack telling;
    private final PendingWriteBacks debt;

    WriteBackSettlement(WriteBack telling, PendingWriteBacks debt) {
        this.telling = telling;
        this.debt = debt;
    }

    @Override
    public void settled(Connection connection, List<PublishOutcome> outcomes) throws SQLException {
        List<PublishOutcome.Published> published = new ArrayList<>();
        List<UUID> failed = new ArrayList<>();
        List<UUID> dead = new ArrayList<>();
        for (PublishOutcome outcome : outcomes) {
            UUID id = outcome.claimed().event().id();
            if (outcome instanceof PublishOutcome.Published p) {
                published.add(p);
            } else if (outcome instanceof PublishOutcome.Retry) {
                failed.add(id);
            } else if (outcome instanceof PublishOutcome.Dead) {
                dead.add(id);
            }
        }
        if (published.isEmpty() && failed.isEmpty() && dead.isEmpty()) {
            return;
        }
        Sql sql = Sql.on(connection);
        Set<UUID> owed =
                telling.attempt(connection, ids(published), failed, dead).owed();
        if (!owed.isEmpty()) {
            debt.published(
                    sql,
                    published.stream()
                            .map(one -> one.claimed().event())
                            .filter(event -> owed.contains(event.id()))
                            .toList());
            debt.dead(sql, dead.stream().filter(owed::contains).toList());
        }
    }

    private static List<UUID> ids(List<PublishOutcome.Published> published) {
        return published.stream().map(one -> one.claimed().event().id()).toList();
    }
}
