package io.waybill.jdbc.layout;

import io.waybill.jdbc.internal.queue.QueueStore;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.PublishOutcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Writes the outcomes of events into the rows that they were imported from, in the transaction that settles the events. Each
 * write is idempotent, so nothing has to be known about a settlement whose answer was lost.
 *
 * <p>The application may have locked a row, locked its whole table, or revoked a privilege. The events are published all the
 * same, and other keys must not wait. Waybill's own tables then record the pending write, see {@link PendingWriteBacks}, and
 * the importer retries it.
 */
final class WriteBackSettlement implements QueueStore.SettlementListener {
    private final WriteBack writeBack;
    private final PendingWriteBacks pending;

    WriteBackSettlement(WriteBack writeBack, PendingWriteBacks pending) {
        this.writeBack = writeBack;
        this.pending = pending;
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
        Set<UUID> refused =
                writeBack.attempt(connection, ids(published), failed, dead).pending();
        if (!refused.isEmpty()) {
            pending.addPublished(
                    sql,
                    published.stream()
                            .map(one -> one.claimed().event())
                            .filter(event -> refused.contains(event.id()))
                            .toList());
            pending.addDead(sql, dead.stream().filter(refused::contains).toList());
        }
    }

    @Override
    public void claimedAgain(Connection connection, List<ClaimedEvent> retries) throws SQLException {
        if (!retries.isEmpty()) {
            writeBack.markClaimed(
                    connection, retries.stream().map(one -> one.event().id()).toList());
        }
    }

    private static List<UUID> ids(List<PublishOutcome.Published> published) {
        return published.stream().map(one -> one.claimed().event().id()).toList();
    }
}
