package io.waybill.jdbc.internal.sql;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Says in another database's SQL what is written in PostgreSQL's: statement by statement where another way leads there
 * ({@link PlainSql}), else word by word. What no rule covers, the database refuses, and so does a test: each statement is run
 * on each database.
 */
final class Translation {
    private static final int MOST = 1_000;

    private static final String EDGE = "((?:\\w+\\.)?)";

    private final Map<Pattern, String> rules = new LinkedHashMap<>();
    private final Map<String, String> done = new ConcurrentHashMap<>();

    /** Begins with what is the same wherever an index cannot be partial and the lane is a column. */
    Translation() {
        rule("outbox_lane\\(" + EDGE + "aggregate_id\\)", "$1lane");
        rule(
                EDGE + "aggregate_id (= ANY \\(\\?\\)|= \\?|= e\\.aggregate_id)\\s+AND \\1processed_at IS NULL"
                        + " AND \\1next_attempt_at IS NOT NULL",
                "$1held_key $2");
        rule(
                EDGE + "processed_at IS NULL AND \\1next_attempt_at IS NOT NULL",
                "$1held_key > ''"); // as IS NOT NULL, which H2 finds in no index
        rule(
                "SELECT e\\.\\* FROM (\\w+ \\w) CROSS JOIN LATERAL \\(\\s*SELECT \\* FROM outbox_events e WHERE"
                        + " (.*?) ORDER BY e\\.seq LIMIT \\d+\\) e",
                "SELECT e.* FROM $1 JOIN outbox_events e ON $2");
        rule("ORDER BY e\\.processed_at DESC LIMIT", "ORDER BY e.seq DESC LIMIT");
        rule(
                "WHERE ctid = ANY \\(ARRAY\\(\\s*SELECT ctid FROM \\w+\\s+WHERE (.*?)\\s+(?:ORDER BY \\w+ )?LIMIT \\?"
                        + " FOR UPDATE SKIP LOCKED\\)\\)",
                "WHERE $1 LIMIT ?");
        rule(
                "CROSS JOIN LATERAL \\(SELECT \\* FROM (\\w+) WHERE id = e\\.id OFFSET 0\\) (\\w)",
                "JOIN $1 $2 ON $2.id = e.id");
        rule(" COLLATE \"C\"", "");
    }

    /** Rules are applied in the order in which they are given. */
    Translation rule(String pattern, String replacement) {
        rules.put(Pattern.compile(pattern, Pattern.DOTALL), replacement);
        return this;
    }

    String of(String statement) {
        if (done.size() > MOST) {
            done.clear(); // searches of people come in many forms, all others in few
        }
        return done.computeIfAbsent(statement, this::translate);
    }

    private String translate(String statement) {
        String sql = PlainSql.insteadOf(statement);
        for (Map.Entry<Pattern, String> rule : rules.entrySet()) {
            sql = rule.getKey().matcher(sql).replaceAll(rule.getValue());
        }
        return sql;
    }
}
