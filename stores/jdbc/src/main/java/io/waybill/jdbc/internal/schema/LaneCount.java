package io.waybill.jdbc.internal.schema;

import io.waybill.jdbc.DatabaseProduct;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.internal.journal.Rebase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Changes the number of lanes, in one transaction.
 *
 * <p>The change moves keys to other lanes. In the queue engine, the only state of a lane is its claim, which is released. In the
 * journal, each lane has a cursor at its own position, and events of a key that moves would be lost or repeated. Therefore all
 * cursors are moved to the same position first, as after a restored dump.
 */
public final class LaneCount {
    private static final Pattern FUNCTION =
            Pattern.compile("CREATE (FUNCTION outbox_lane\\(.*?% )\\d+( \\$\\$;)", Pattern.DOTALL);

    private static final List<String> UNCLAIM_QUEUE = List.of(
            "UPDATE outbox_claims SET low = NULL, high = NULL WHERE high IS NOT NULL",
            "UPDATE outbox_events SET state = 'PENDING', locked_by = NULL, locked_until = NULL WHERE processed_at IS NULL"
                    + " AND next_attempt_at < 'infinity' AND state = 'CLAIMED'");

    /** A new lane starts with the highest fence. If the lane existed before, its former owners stay fenced. */
    private static final String LANES = """
            INSERT INTO outbox_lanes (lane, fence)
            SELECT n, (SELECT max(fence) FROM outbox_lanes) FROM generate_series(0, %d) n ON CONFLICT DO NOTHING""";

    private static final String CLAIMS =
            "INSERT INTO outbox_claims (lane) SELECT lane FROM outbox_lanes ON CONFLICT DO NOTHING";

    private static final String CURSORS = """
            INSERT INTO outbox_cursors (lane, cluster, origin, sequence, done, done_seq, open_end)
            SELECT l.lane, c.cluster, c.origin, c.sequence, c.done, c.done_seq, c.open_end FROM outbox_lanes l, outbox_cursors c
            WHERE c.lane = 0 ON CONFLICT DO NOTHING""";

    private static final String INDEXES = """
            SELECT DISTINCT quote_ident(c.relname), pg_get_indexdef(c.oid) FROM pg_depend d
            JOIN pg_class c ON c.oid = d.objid AND c.relkind = 'i'
            WHERE d.classid = 'pg_class'::regclass AND d.refobjid = 'outbox_lane(text)'::regprocedure ORDER BY 1""";

    private LaneCount() {}

    public static int read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM outbox_lanes")) {
            row.next();
            return row.getInt(1);
        }
    }

    public static void change(Connection connection, Engine engine, int lanes, boolean fence) throws SQLException {
        ExclusiveTableLock.acquire(connection, "change the number of lanes", engine, fence);
        try (Statement statement = connection.createStatement()) {
            String lane = engine == Engine.JOURNAL ? "outbox_cursors" : "outbox_claims";
            if (engine == Engine.JOURNAL) {
                Rebase.alignCursors(connection);
            } else {
                for (String sql : UNCLAIM_QUEUE) {
                    statement.execute(sql);
                }
            }
            statement.execute(function(DatabaseProduct.of(connection), lanes));
            statement.execute(LANES.formatted(lanes - 1));
            statement.execute("DELETE FROM outbox_lanes WHERE lane >= " + lanes);
            statement.execute(engine == Engine.JOURNAL ? CURSORS : CLAIMS);
            statement.execute("DELETE FROM " + lane + " WHERE lane >= " + lanes);
            rebuildIndexes(statement);
        }
    }

    private static String function(DatabaseProduct product, int lanes) {
        Matcher matcher = FUNCTION.matcher(product.script("shared.sql").text());
        if (!matcher.find()) {
            throw new IllegalStateException(
                    "shared.sql does not define the function outbox_lane in the expected form.");
        }
        return "CREATE OR REPLACE " + matcher.group(1) + lanes + matcher.group(2);
    }

    /**
     * Drops the indexes and creates them again, because they contain the lanes that the old function computed. REINDEX is not
     * enough: every session, including this one, caches the old function body with each index that it has opened, and would
     * continue to write old lanes into it.
     */
    private static void rebuildIndexes(Statement statement) throws SQLException {
        Map<String, String> indexes = new LinkedHashMap<>();
        try (ResultSet row = statement.executeQuery(INDEXES)) {
            while (row.next()) {
                indexes.put(row.getString(1), row.getString(2));
            }
        }
        for (Map.Entry<String, String> index : indexes.entrySet()) {
            statement.execute("DROP INDEX " + index.getKey());
            statement.execute(index.getValue());
        }
    }
}
