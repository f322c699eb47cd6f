package io.waybill.jdbc.internal.queue;

import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.StatementPipeline;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/**
 * Parked events of the queue: lets them go on when nothing before them holds them back.
 *
 * <p>A key may have parked a million events while its first one failed. They are freed in chunks, the first ones first, so that no
 * transaction takes long and other keys of the lane go on in between. A freed event waits like a new one. The first event that
 * stays behind is still PARKED and holds back what follows it, but gets a due time: a claim in its lane finds it there
 * and frees the next chunk, once the last one has gone out. So a change of owner in between loses nothing.
 */
public final class ParkedEvents {
    /** Most events of a key that are freed at once. */
    public static final int CHUNK = 500;

    /** Most events that a transaction frees, or parks, of all its keys together; roughly. */
    public static final int MOST = 5_000;

    private static final int FEWEST = 20;

    private final Sql sql;
    private final int chunk;
    private final List<UUID> freed = new ArrayList<>();
    private final List<UUID> later = new ArrayList<>();

    private ParkedEvents(Sql sql, int chunk) {
        this.sql = sql;
        this.chunk = chunk;
    }

    /** How many events of each key are freed at once, when so many keys are. */
    public static int chunk(int keys) {
        return Math.max(FEWEST, Math.min(CHUNK, MOST / keys));
    }

    /** Frees the first parked events of these keys. The caller keeps other changes from their lanes. */
    static void free(Sql sql, Collection<String> keys) throws SQLException {
        if (keys.isEmpty()) {
            return;
        }
        ParkedEvents parked = new ParkedEvents(sql, chunk(keys.size()));
        StatementPipeline message = new StatementPipeline(sql);
        for (String key : keys) {
            message.query(QueueStatements.of(sql).heldOfKey(parked.chunk + 1), parked::read, key);
        }
        message.send();
        parked.write();
    }

    /** Up to the first event that is not parked: a retry, or a dead letter that blocks its key. */
    private void read(ResultSet row) throws SQLException {
        for (int place = 0; row.next() && row.getString(2).equals("PARKED"); place++) {
            (place < chunk ? freed : later).add(sql.dialect().uuid(row, 1));
        }
    }

    private void write() throws SQLException {
        if (!freed.isEmpty()) {
            sql.update(QueueStatements.of(sql).free, freed);
        }
        if (!later.isEmpty()) {
            sql.update(QueueStatements.of(sql).freeLater, later);
        }
    }
}
