package io.waybill.jdbc.internal.queue;

import io.waybill.jdbc.internal.event.ParkedChunk;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.StatementPipeline;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/**
 * Frees parked events of the queue engine when no earlier event of their key is held.
 *
 * <p>A key may have a million parked events behind one that failed. They are freed in chunks, in order, so that no transaction
 * takes long and other keys of the lane are served in between. A freed event is pending, like a new one. The first event after
 * the chunk stays PARKED and holds the later events of the key, but it is given a due time. When the chunk is published, a claim
 * in the lane finds this event and frees the next chunk. All of this is stored in the rows, so that a change of the lane's owner
 * loses nothing.
 */
final class ParkedEvents {
    private final Sql sql;
    private final int chunk;
    private final List<UUID> freed = new ArrayList<>();
    private final List<UUID> firstAfterChunk = new ArrayList<>();

    private ParkedEvents(Sql sql, int chunk) {
        this.sql = sql;
        this.chunk = chunk;
    }

    /** Frees the first parked events of these keys. The caller has locked their lanes. */
    static void free(Sql sql, Collection<String> keys) throws SQLException {
        if (keys.isEmpty()) {
            return;
        }
        ParkedEvents parked = new ParkedEvents(sql, ParkedChunk.size(keys.size()));
        StatementPipeline pipeline = new StatementPipeline(sql);
        for (String key : keys) {
            pipeline.query(QueueStatements.of(sql).heldOfKey(parked.chunk + 1), parked::read, key);
        }
        pipeline.send();
        parked.write();
    }

    /** Reads up to the first event that is held for another reason: a retry, or a dead letter that blocks its key. */
    private void read(ResultSet row) throws SQLException {
        for (int i = 0; row.next() && row.getString(2).equals("PARKED"); i++) {
            (i < chunk ? freed : firstAfterChunk).add(sql.dialect().uuid(row, 1));
        }
    }

    private void write() throws SQLException {
        if (!freed.isEmpty()) {
            sql.update(QueueStatements.of(sql).free, freed);
        }
        if (!firstAfterChunk.isEmpty()) {
            sql.update(QueueStatements.of(sql).makeParkedDue, firstAfterChunk);
        }
    }
}
