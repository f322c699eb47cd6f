package io.waybill.jdbc.internal.admin;

import io.waybill.admin.FailureGroups.Group;
import io.waybill.jdbc.internal.admin.JdbcSearch.Failed;
import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.sql.Sql;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Groups failed events by type, topic and normalised error. */
final class FailureGrouping {
    private static final int CHUNK = 1_000;

    private static final String EVENTS =
            "SELECT e.id, e.event_type, coalesce(e.topic, e.event_type), e.created_at FROM outbox_events e"
                    + " WHERE e.id = ANY (?)";

    private FailureGrouping() {}

    static List<Group> group(Sql sql, List<Failed> failed) throws SQLException {
        Map<String, Group> groups = new LinkedHashMap<>();
        for (int from = 0; from < failed.size(); from += CHUNK) {
            Map<UUID, Failed> chunk = new HashMap<>();
            failed.subList(from, Math.min(failed.size(), from + CHUNK)).forEach(one -> chunk.put(one.id(), one));
            sql.query(
                    EVENTS,
                    row -> {
                        while (row.next()) {
                            UUID id = sql.dialect().uuid(row, 1);
                            Failed one = chunk.get(id);
                            if (one != null) {
                                Instant at = EventRows.time(sql.dialect(), row, 4);
                                Group single = single(one, row.getString(2), row.getString(3), at);
                                groups.merge(single.fingerprint(), single, FailureGrouping::merged);
                            }
                        }
                        return groups;
                    },
                    List.copyOf(chunk.keySet()));
        }
        return groups.values().stream()
                .sorted(Comparator.comparingInt(Group::count).reversed().thenComparing(Group::fingerprint))
                .toList();
    }

    private static Group single(Failed failed, String type, String topic, Instant at) {
        String error = FailureText.normalised(failed.error());
        return new Group(
                FailureText.fingerprint(type, topic, error),
                error,
                failed.error(),
                type,
                topic,
                failed.isDead() ? 0 : 1,
                failed.isDead() ? 1 : 0,
                at,
                at,
                failed.id());
    }

    private static Group merged(Group a, Group b) {
        Group newest = a.last().isBefore(b.last()) ? b : a;
        return new Group(
                a.fingerprint(),
                a.error(),
                newest.sampleError(),
                a.type(),
                a.topic(),
                a.retrying() + b.retrying(),
                a.deadLetters() + b.deadLetters(),
                a.first().isBefore(b.first()) ? a.first() : b.first(),
                newest.last(),
                newest.sample());
    }
}
