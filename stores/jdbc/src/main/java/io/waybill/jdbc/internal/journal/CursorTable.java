package io.waybill.jdbc.internal.journal;

import io.waybill.jdbc.internal.lane.ClaimMarks;
import io.waybill.jdbc.internal.sql.Sql;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The cursors of several lanes in one statement. */
final class CursorTable {
    private static final String WRITE = """
            UPDATE outbox_cursors c SET done = t.done, done_seq = t.done_seq, open = t.open, open_seq = t.open_seq,
                open_end = t.open_end, pos = t.pos, claimed = t.claimed, crashes = t.crashes, suspect = t.suspect
            FROM unnest(?::int[], ?::pg_snapshot[], ?::bigint[], ?::pg_snapshot[], ?::bigint[], ?::bigint[], ?::bigint[],
                        ?::bigint[], ?::int[], ?::bigint[])
                AS t (lane, done, done_seq, open, open_seq, open_end, pos, claimed, crashes, suspect)
            WHERE c.lane = t.lane RETURNING c.lane, c.xmin::text::bigint;
            COMMIT""";

    private CursorTable() {}

    /**
     * Writes the cursors and commits, as one message. The last act of a transaction: {@link Connection#commit} finds it ended.
     *
     * @return the mark of this transaction in each lane, for {@link ClaimMarks}
     */
    static Map<Integer, Long> commit(Connection connection, List<Cursor> cursors) throws SQLException {
        Map<Integer, Long> marks = new HashMap<>();
        try (PreparedStatement update = Sql.statement(connection, WRITE)) {
            update.setArray(1, array(connection, "int", cursors, Cursor::lane));
            update.setObject(2, snapshots(cursors, Cursor::done), Types.OTHER);
            update.setArray(3, array(connection, "bigint", cursors, Cursor::doneSeq));
            update.setObject(4, snapshots(cursors, Cursor::open), Types.OTHER);
            update.setArray(5, array(connection, "bigint", cursors, Cursor::openSeq));
            update.setArray(6, array(connection, "bigint", cursors, Cursor::openEnd));
            update.setArray(7, array(connection, "bigint", cursors, Cursor::pos));
            update.setArray(8, array(connection, "bigint", cursors, Cursor::claimed));
            update.setArray(9, array(connection, "int", cursors, Cursor::crashes));
            update.setArray(10, array(connection, "bigint", cursors, Cursor::suspect));
            update.execute();
            try (ResultSet row = update.getResultSet()) {
                while (row.next()) {
                    marks.put(row.getInt(1), row.getLong(2));
                }
            }
        }
        return marks;
    }

    static <T> Array array(Connection connection, String type, List<T> of, Function<T, @Nullable Object> value)
            throws SQLException {
        return connection.createArrayOf(type, of.stream().map(value).toArray());
    }

    /** To be bound as {@code Types.OTHER}. */
    static String snapshots(List<Cursor> cursors, Function<Cursor, @Nullable String> snapshot) {
        return cursors.stream()
                .map(snapshot)
                .map(text -> text == null ? "NULL" : '"' + text + '"')
                .collect(Collectors.joining(",", "{", "}"));
    }
}
