package io.waybill.jdbc.internal.admin;

import io.waybill.admin.OutboxPause;
import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** The pauses that operators have set, and the events that wait for the end of one. */
public final class PausedEvents {
    /** The beginning of the last error of an event that a pause holds. */
    static final String REASON = OutboxPause.HELD;

    /** Maximum number of pauses that are read. Operators set far fewer by hand. */
    private static final int MOST = 1_000;

    private PausedEvents() {}

    /** Returns the values of {@link #condition}. */
    public static List<Object> values(Collection<String> reasons) {
        List<String> others = new ArrayList<>(reasons);
        others.add(""); // a list in SQL must not be empty
        return List.of(REASON + "%", others);
    }

    /** The condition that a pause held the event, and that this pause has ended. */
    public static String condition() {
        return "last_error LIKE ? AND NOT (last_error = ANY (?))";
    }

    /** Returns the pauses that have not ended. */
    public static List<OutboxPause> read(Sql sql) throws SQLException {
        return sql.query(
                "SELECT scope, target, actor, reason, paused_at, expires_at FROM outbox_pauses"
                        + " WHERE expires_at IS NULL OR expires_at > "
                        + sql.dialect().clock()
                        + " ORDER BY scope, target LIMIT " + MOST,
                row -> {
                    List<OutboxPause> pauses = new ArrayList<>();
                    while (row.next()) {
                        pauses.add(new OutboxPause(
                                OutboxPause.Scope.valueOf(row.getString(1)),
                                row.getString(2),
                                row.getString(3),
                                row.getString(4),
                                EventRows.time(sql.dialect(), row, 5),
                                sql.dialect().instant(row, 6)));
                    }
                    return List.copyOf(pauses);
                });
    }
}
