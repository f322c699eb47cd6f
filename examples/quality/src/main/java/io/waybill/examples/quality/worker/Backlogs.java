package io.waybill.examples.quality.worker;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Reads the {@link Backlog} from Waybill's tables, in the caller's transaction if there is one. */
@Repository
public class Backlogs {
    private static final String NOW = """
            WITH unprocessed AS (
                SELECT created_at AS since FROM outbox_waiting
                UNION ALL
                SELECT e.created_at FROM outbox_held h JOIN outbox_events e ON e.id = h.id
                WHERE h.dead_at IS NULL AND h.settled_at IS NULL
                UNION ALL
                SELECT held_at FROM inbox_held)
            SELECT (SELECT count(*) FROM unprocessed) AS unprocessed,
                   (SELECT count(*) FROM outbox_held WHERE dead_at IS NOT NULL)
                       + (SELECT count(*) FROM inbox_dead_letters) AS failed,
                   (SELECT coalesce(greatest(extract(epoch FROM clock_timestamp() - min(since)), 0), 0)
                    FROM unprocessed) AS oldest_age""";

    private final JdbcClient jdbc;

    Backlogs(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    public Backlog now() {
        return jdbc.sql(NOW).query(Backlog.class).single();
    }
}
