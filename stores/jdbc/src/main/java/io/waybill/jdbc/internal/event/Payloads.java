package io.waybill.jdbc.internal.event;

import io.waybill.jdbc.internal.sql.PerDialect;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.store.ClaimedEvent;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Chooses as many candidates of a lane as fit into a byte budget, and reads the payloads of the large ones among them. The budget
 * is exceeded by one event at most, and so is the memory that a result takes.
 *
 * <p>The database measures the payloads, in the order in which they are sent, and returns those within the budget. It must
 * decompress what it measures. So one statement asks for a quarter of the budget by stored size: enough for text that is
 * compressed to a quarter, and little wasted for text that is compressed to a twentieth.
 */
public final class Payloads {
    private static final PerDialect<String> READ =
            new PerDialect<>(dialect -> """
            SELECT p.id, CASE WHEN p.ahead < ? THEN p.payload END, CASE WHEN p.ahead < ? THEN p.headers END
            FROM (SELECT e.id, e.seq, e.payload, e.headers, coalesce(sum(%s + coalesce(%s, 0))
                         OVER (ORDER BY e.seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS ahead
                  FROM outbox_events e WHERE e.id = ANY (?)) p
            ORDER BY p.seq""".formatted(dialect.length("e.payload"), dialect.length("e.headers")));

    private Payloads() {}

    /**
     * Returns the first candidates, complete, until they reach the number of bytes; at least one of them.
     *
     * @param candidates in the order in which they are sent
     */
    public static List<ClaimedEvent> fill(Sql sql, List<Candidate> candidates, long bytes) throws SQLException {
        List<ClaimedEvent> claims = new ArrayList<>(candidates.size());
        long used = 0;
        for (int i = 0; i < candidates.size() && (used < bytes || claims.isEmpty()); i++) {
            Candidate candidate = candidates.get(i);
            if (!candidate.complete() && !candidate.gone()) {
                read(sql, candidates.subList(i, candidates.size()), Math.max(1, bytes - used));
            }
            if (candidate.gone()) {
                continue;
            }
            used += candidate.size();
            claims.add(candidate.claimed());
        }
        return claims;
    }

    /** Completes the first candidate, and more as far as there is room. */
    private static void read(Sql sql, List<Candidate> candidates, long room) throws SQLException {
        Map<UUID, Candidate> asked = new HashMap<>();
        long stored = 0;
        for (Candidate candidate : candidates) {
            if (!asked.isEmpty() && stored >= room / 4) {
                break;
            }
            stored += candidate.size();
            if (!candidate.complete()) {
                asked.put(candidate.id(), candidate);
            }
        }
        List<UUID> ids = List.copyOf(asked.keySet());
        sql.query(READ.of(sql.dialect()), rows -> complete(sql, rows, asked), room, room, ids);
        asked.values().forEach(Candidate::disappeared);
    }

    private static Map<UUID, Candidate> complete(Sql sql, ResultSet rows, Map<UUID, Candidate> asked)
            throws SQLException {
        while (rows.next()) {
            Candidate candidate = asked.remove(sql.dialect().uuid(rows, 1));
            String payload = rows.getString(2);
            if (candidate != null && payload != null) {
                candidate.complete(payload, rows.getString(3));
            }
        }
        return asked;
    }
}
