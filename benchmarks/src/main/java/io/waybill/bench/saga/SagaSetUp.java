package io.waybill.bench.saga;

import io.waybill.bench.contest.Schema;
import java.sql.SQLException;
import java.util.Deque;

/**
 * Sagas that the table has before a run.
 *
 * @param endedBefore sagas that have ended
 * @param waitingBefore sagas that wait for a reply, with a timer that is due in an hour
 */
public record SagaSetUp(long endedBefore, long waitingBefore) {
    static final String TEXT = "x".repeat(200);

    private static final long CHUNK = 100_000;

    public static final SagaSetUp EMPTY = new SagaSetUp(0, 0);

    void fill(Schema shop, String saga) throws SQLException {
        insert(shop, saga, "ended", endedBefore, "'COMPLETED', NULL, now() - n * interval '1 second'");
        insert(shop, saga, "waiting", waitingBefore, "'EXECUTING', now() + interval '1 hour', NULL");
        shop.execute("VACUUM ANALYZE sagas, saga_history");
    }

    /** @param ends the columns status, wake_at and ended_at */
    private static void insert(Schema shop, String saga, String key, long rows, String ends) throws SQLException {
        for (long first = 0; first < rows; first += CHUNK) {
            String numbers = "generate_series(" + first + ", " + (Math.min(rows, first + CHUNK) - 1) + ") n";
            shop.execute("WITH added AS (INSERT INTO sagas (id, name, version, business_key, status, wake_at, ended_at,"
                    + " data, state, headers, stuck, created_at, updated_at, revision) SELECT gen_random_uuid(), '"
                    + saga + "', 1, '" + key + "-' || n, " + ends + ", '{\"text\":\"" + TEXT + "\"}', '{\"steps\":{}}',"
                    + " '{}', '', now(), now(), 1 FROM " + numbers + " RETURNING id)"
                    + " INSERT INTO saga_history (saga_id, revision, position, kind, attempt, at)"
                    + " SELECT id, 1, 0, 'STARTED', 0, now() FROM added");
        }
    }

    static void closeAll(Deque<AutoCloseable> open) {
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception e) {
                System.err.println("Cannot clean up: " + e);
            }
        }
    }
}
