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
 * Chooses the first candidates of a lane that fit into a byte budget, and reads the payloads of the large ones among them. One event
 * may exceed the budget, so a result takes no more memory than the budget and one event.
 *
 * <p>The database adds up the lengths of the payloads in the order in which the events are sent, and returns the payloads within
 * the budget. To measure a payload, it must decompress it. Therefore one statement requests only events whose stored sizes add up
 * to a quarter of the budget. This fills the budget if the text is compressed to a quarter, and wastes little work if it is
 * compressed to a twentieth.
 */
public final class Payloads {
    /**
     * Returns the payload of the first event always, and those of the next events while the sizes of the events ahead of them
     * stay below the budget. The first event is recognized by its place and not by {@code ahead = 0}, because MySQL 9.7 counts an
     * event as ahead of itself if the statement finds no other event.
     */
    private static final PerDialect<String> READ =
            new PerDialect<>(dialect -> """
            SELECT p.id, CASE WHEN p.place = 1 OR p.ahead < ? THEN p.payload END,
                   CASE WHEN p.place = 1 OR p.ahead < ? THEN p.headers END
            FROM (SELECT e.id, e.seq, e.payload, e.headers, row_number() OVER (ORDER BY e.seq) AS place,
                         coalesce(sum(%s + coalesce(%s, 0))
                         OVER (ORDER BY e.seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS ahead
                  FROM outbox_events e WHERE e.id = ANY (?)) p
            ORDER BY p.seq""".formatted(dialect.length("e.payload"), dialect.length("e.headers")));

    private Payloads() {}

    /**
     * Returns the first candidates with their payloads, until they reach the number of bytes. Returns at least one event, unless all
     * candidates were deleted.
     *
     * @param candidates the candidates in the order in which they are sent
     */
    public static List<ClaimedEvent> fill(Sql sql, List<Candidate> candidates, long bytes) throws SQLException {
        List<ClaimedEvent> claims = new ArrayList<>(candidates.size());
        long used = 0;
        for (int i = 0; i < candidates.size() && (used < bytes || claims.isEmpty()); i++) {
            Candidate candidate = candidates.get(i);
            if (!candidate.isComplete() && !candidate.isDeleted()) {
                read(sql, candidates.subList(i, candidates.size()), Math.max(1, bytes - used));
            }
            if (candidate.isDeleted()) {
                continue;
            }
            used += candidate.size();
            claims.add(candidate.claimed());
        }
        return claims;
    }

    /** Reads the payload of the first candidate, and of later ones up to the number of bytes. */
    private static void read(Sql sql, List<Candidate> candidates, long bytes) throws SQLException {
        Map<UUID, Candidate> missing = new HashMap<>();
        long stored = 0;
        for (Candidate candidate : candidates) {
            if (!missing.isEmpty() && stored >= bytes / 4) {
                break;
            }
            stored += candidate.size();
            if (!candidate.isComplete()) {
                missing.put(candidate.id(), candidate);
            }
        }
        List<UUID> ids = List.copyOf(missing.keySet());
        sql.query(READ.of(sql.dialect()), rows -> complete(sql, rows, missing), bytes, bytes, ids);
        missing.values().forEach(Candidate::setDeleted);
    }

    private static Map<UUID, Candidate> complete(Sql sql, ResultSet rows, Map<UUID, Candidate> missing)
            throws SQLException {
        while (rows.next()) {
            Candidate candidate = missing.remove(sql.dialect().uuid(rows, 1));
            String payload = rows.getString(2);
            if (candidate != null && payload != null) {
                candidate.complete(payload, rows.getString(3));
            }
        }
        return missing;
    }
}
