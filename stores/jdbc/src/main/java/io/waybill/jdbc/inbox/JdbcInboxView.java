package io.waybill.jdbc.inbox;

import io.waybill.inbox.InboxStatus;
import io.waybill.inbox.InboxView;
import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.Transactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the tables say about each group. */
public final class JdbcInboxView implements InboxView {
    /** Jumps from group to group through the index, so that it costs the same however many events were processed. */
    public static final String STATUS = """
            WITH RECURSIVE jump AS (
                (SELECT consumer_group AS g FROM processed_events WHERE outcome <> 'DEAD_LETTERED'
                 ORDER BY consumer_group LIMIT 1)
                UNION ALL
                SELECT (SELECT consumer_group FROM processed_events WHERE consumer_group > jump.g AND outcome <> 'DEAD_LETTERED'
                        ORDER BY consumer_group LIMIT 1) FROM jump WHERE jump.g IS NOT NULL),
            held AS (SELECT consumer_group AS g, count(*) FILTER (WHERE state = 'RETRY') AS retrying,
                            count(*) FILTER (WHERE state <> 'RETRY') AS parked,
                            extract(epoch FROM clock_timestamp() - min(held_at)) AS age
                     FROM inbox_held GROUP BY 1),
            dead AS (SELECT consumer_group AS g, count(*) AS letters FROM inbox_dead_letters GROUP BY 1),
            paused AS (SELECT consumer_group AS g, count(*) AS consumers, min(paused_since) AS since, min(reason) AS reason
                       FROM inbox_pauses WHERE expires_at > clock_timestamp() GROUP BY 1),
            names AS (SELECT g FROM jump WHERE g IS NOT NULL UNION SELECT g FROM held UNION SELECT g FROM dead
                      UNION SELECT g FROM paused)
            SELECT n.g, coalesce(h.retrying, 0), coalesce(h.parked, 0), coalesce(d.letters, 0), coalesce(h.age, 0),
                   (SELECT p.processed_at FROM processed_events p WHERE p.consumer_group = n.g
                    AND p.outcome <> 'DEAD_LETTERED' ORDER BY p.processed_at DESC LIMIT 1),
                   coalesce(s.consumers, 0), s.since, s.reason
            FROM names n LEFT JOIN held h USING (g) LEFT JOIN dead d USING (g) LEFT JOIN paused s USING (g)
            WHERE (CAST(? AS text) IS NULL OR n.g = ?) ORDER BY n.g""";

    private final Transactions database;

    JdbcInboxView(Transactions database) {
        this.database = database;
    }

    @Override
    public List<InboxStatus> status() {
        return read(null);
    }

    @Override
    public InboxStatus status(String group) {
        return read(group).stream()
                .findFirst()
                .orElse(new InboxStatus(group, 0, 0, 0, Duration.ZERO, null, 0, null, null));
    }

    private List<InboxStatus> read(@Nullable String group) {
        return database.transaction(
                "read the inbox's status",
                connection -> InboxStatement.query(
                        connection, "read the inbox's status", STATUS, JdbcInboxView::groups, group, group));
    }

    private static List<InboxStatus> groups(Dialect dialect, ResultSet row) throws SQLException {
        List<InboxStatus> groups = new ArrayList<>();
        while (row.next()) {
            Duration age = Duration.ofMillis(Math.max(0, Math.round(row.getDouble(5) * 1_000)));
            groups.add(new InboxStatus(
                    row.getString(1),
                    row.getLong(2),
                    row.getLong(3),
                    row.getLong(4),
                    age,
                    EventRows.instant(dialect, row, 6),
                    row.getLong(7),
                    EventRows.instant(dialect, row, 8),
                    row.getString(9)));
        }
        return groups;
    }
}
