package io.waybill.jdbc.internal.queue;

import io.waybill.jdbc.internal.event.Candidate;
import io.waybill.jdbc.internal.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Claims the due retries of a lane.
 *
 * <p>An event that may have crashed its last relay is never claimed together with first attempts.
 *
 * <p>If a parked event is due, the next chunk of its key can be freed (see {@link ParkedEvents}). This happens once the
 * scan finds no event of the previous chunk, so other keys of the lane are served between two chunks.
 */
final class DueRetries {
    private record Due(Candidate candidate, int crashes) {}

    private DueRetries() {}

    static void claim(Sql sql, LaneClaim lane) throws SQLException {
        QueueStatements statements = QueueStatements.of(sql);
        int limit = lane.maxRetries();
        List<Due> due = new ArrayList<>();
        Set<String> keysToFree = new HashSet<>();
        sql.query(
                statements.due,
                row -> {
                    ClaimColumns columns = ClaimColumns.of(row);
                    int state = row.findColumn("state");
                    while (row.next()) {
                        Candidate candidate = columns.candidate(sql.dialect(), row);
                        if (!row.getString(state).equals("PARKED")) {
                            due.add(new Due(candidate, columns.crashes(row)));
                        } else if (!lane.found(candidate.key())) {
                            keysToFree.add(candidate.key());
                        }
                    }
                    return due;
                },
                lane.number(),
                limit);
        ParkedEvents.free(sql, keysToFree);
        due.sort(Comparator.comparingLong(retry -> retry.candidate.position()));
        boolean suspects = false;
        double weight = 0;
        List<Candidate> chosen = new ArrayList<>();
        for (Due retry : due) {
            weight += LaneClaim.weight(retry.crashes);
            if (weight > limit && !chosen.isEmpty()) {
                break;
            }
            chosen.add(retry.candidate);
            suspects |= retry.crashes > 0;
        }
        lane.retry(sql, chosen);
        if (!lane.retries().isEmpty()) {
            sql.update(
                    statements.claimDue,
                    lane.lease().relay(),
                    lane.number(),
                    lane.retries().stream().map(claimed -> claimed.event().id()).toList());
            lane.limitFirstAttempts(suspects);
        }
    }
}
