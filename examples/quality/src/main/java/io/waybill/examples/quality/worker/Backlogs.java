package io.waybill.examples.quality.worker;

import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Reads the {@link Backlog} from the tables of the outbox and the inbox, in the caller's transaction if there is one. */
@Repository
public class Backlogs {
    private static final String NOW = """
            WITH unprocessed AS (
                %s
                UNION ALL
                SELECT held_at FROM inbox_held)
            SELECT (SELECT count(*) FROM unprocessed) AS unprocessed,
                   (%s) + (SELECT count(*) FROM inbox_dead_letters) AS failed,
                   (SELECT coalesce(greatest(extract(epoch FROM clock_timestamp() - min(since)), 0), 0)
                    FROM unprocessed) AS oldest_age""";

    private static final String JOURNAL =
            NOW.formatted("""
            SELECT created_at AS since FROM outbox_waiting
            UNION ALL
            SELECT e.created_at FROM outbox_held h JOIN outbox_events e ON e.id = h.id
            WHERE h.dead_at IS NULL AND h.settled_at IS NULL""", "SELECT count(*) FROM outbox_held WHERE dead_at IS NOT NULL");

    private static final String SEED_TABLE = NOW.formatted(
            "SELECT created_at AS since FROM seed.outbox_events WHERE status IN ('PENDING', 'PROCESSING')",
            "SELECT count(*) FROM seed.outbox_events WHERE status = 'FAILED'");

    private final JdbcClient jdbc;

    private final String query;

    Backlogs(JdbcClient jdbc, Environment environment) {
        this.jdbc = jdbc;
        this.query = environment.matchesProfiles("seed-table") ? SEED_TABLE : JOURNAL;
    }

    public Backlog now() {
        return jdbc.sql(query).query(Backlog.class).single();
    }
}
