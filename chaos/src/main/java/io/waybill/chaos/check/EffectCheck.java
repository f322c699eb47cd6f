package io.waybill.chaos.check;

import io.waybill.chaos.cluster.Cluster;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Compares the effects of the consumers, whose table has no unique key, with the committed events (I5). */
final class EffectCheck {
    private final Set<UUID> seen = new HashSet<>();
    private final Map<String, Long> latest = new HashMap<>();
    private final List<String> violations = new ArrayList<>();
    private long applied;
    private int doubled;
    private int missing;

    private EffectCheck() {}

    static EffectCheck of(Cluster cluster, Set<UUID> committed) throws SQLException {
        EffectCheck check = new EffectCheck();
        try (Connection connection =
                        DriverManager.getConnection(cluster.database().jdbcUrl());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT event_id, key, n FROM applied ORDER BY seq")) {
            while (row.next()) {
                check.effect(row.getObject(1, UUID.class), row.getString(2), row.getLong(3), committed);
            }
        }
        for (UUID id : committed) {
            if (!check.seen.contains(id)) {
                check.missing++;
                check.violations.add("no effect for event " + id);
            }
        }
        return check;
    }

    private void effect(UUID id, String key, long n, Set<UUID> committed) {
        applied++;
        if (!seen.add(id)) {
            doubled++;
            violations.add("a second effect of " + key + "#" + n + " " + id);
            return;
        }
        if (!committed.contains(id)) {
            violations.add("an effect of " + key + "#" + n + " " + id + ", but the event was not committed");
            return;
        }
        long before = latest.getOrDefault(key, 0L);
        if (n < before) {
            violations.add("the effect of " + key + "#" + n + " " + id + " came after that of #" + before);
        }
        latest.put(key, Math.max(n, before));
    }

    List<String> violations() {
        return violations;
    }

    long applied() {
        return applied;
    }

    int doubled() {
        return doubled;
    }

    int missing() {
        return missing;
    }
}
