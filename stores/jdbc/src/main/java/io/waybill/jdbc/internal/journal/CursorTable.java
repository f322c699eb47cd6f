package io.waybill.jdbc.internal.journal;

import io.waybill.jdbc.internal.lane.ClaimMarks;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.StatementPipeline;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Writes the cursors of several lanes with one statement. */
final class CursorTable {
    private static final String WRITE = """
            UPDATE outbox_cursors c SET done = t.done, done_seq = t.done_seq, open = t.open, open_seq = t.open_seq,
                open_end = t.open_end, pos = t.pos, claimed = t.claimed, crashes = t.crashes, suspect = t.suspect
            FROM unnest(?::int[], ?::text[]::pg_snapshot[], ?::bigint[], ?::text[]::pg_snapshot[], ?::bigint[], ?::bigint[],
                        ?::bigint[], ?::bigint[], ?::int[], ?::bigint[])
                AS t (lane, done, done_seq, open, open_seq, open_end, pos, claimed, crashes, suspect)
            WHERE c.lane = t.lane RETURNING c.lane, c.xmin::text::bigint""";

    private static final int WRITTEN_LANE = 1;
    private static final int WRITTEN_MARK = 2;

    private CursorTable() {}

    /**
     * Writes the cursors and commits, in one round trip. This must be the last call in the transaction; see
     * {@link StatementPipeline#sendAndCommit}.
     *
     * @return by lane, the mark of this transaction for {@link ClaimMarks}
     */
    static Map<Integer, Long> writeAndCommit(Connection connection, List<Cursor> cursors) throws SQLException {
        Map<Integer, Long> marks = new HashMap<>();
        StatementPipeline pipeline = new StatementPipeline(Sql.on(connection));
        pipeline.query(
                WRITE,
                row -> {
                    while (row.next()) {
                        marks.put(row.getInt(WRITTEN_LANE), row.getLong(WRITTEN_MARK));
                    }
                },
                array(connection, "int", cursors, Cursor::lane),
                array(connection, "text", cursors, Cursor::done),
                array(connection, "bigint", cursors, Cursor::doneSeq),
                array(connection, "text", cursors, Cursor::open),
                array(connection, "bigint", cursors, Cursor::openSeq),
                array(connection, "bigint", cursors, Cursor::openEnd),
                array(connection, "bigint", cursors, Cursor::pos),
                array(connection, "bigint", cursors, Cursor::claimed),
                array(connection, "int", cursors, Cursor::crashes),
                array(connection, "bigint", cursors, Cursor::suspect));
        pipeline.sendAndCommit();
        return marks;
    }

    /** Returns an array of the given type even when all of its values are null, so that the prepared plan fits each call. */
    static <T> Array array(Connection connection, String type, List<T> rows, Function<T, @Nullable Object> column)
            throws SQLException {
        return connection.createArrayOf(type, rows.stream().map(column).toArray());
    }
}
