package io.waybill.jdbc.saga;

import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.PerDialect;
import io.waybill.jdbc.internal.sql.SqlType;
import io.waybill.jdbc.internal.sql.StatementRunner;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The statements on the tables of sagas. */
final class SagaStatements {
    static final StatementRunner<SagaStatements> RUNNER =
            new StatementRunner<>(new PerDialect<>(SagaStatements::new), SagaSchema.SCHEMA.missing());

    private static final String INSERT = """
            INSERT INTO sagas (id, name, version, business_key, status, data, state, headers, parent_id, parent_step, error,
                               stuck, wake_at, created_at, updated_at, ended_at, revision)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""";

    /** The revision lets no transaction write a saga that it has not locked. */
    private static final String UPDATE = """
            UPDATE sagas SET %s version = ?, status = ?, state = ?, error = ?, stuck = ?, wake_at = ?, rest_until = NULL,
                             updated_at = ?, ended_at = ?, revision = ?
            WHERE id = ? AND revision < ?""";

    /** Reads the name without locking the saga, because a signal must not wait for the transaction that works on it. */
    private static final String POST = """
            INSERT INTO saga_signals (saga_id, saga_name, kind, step, detail, actor, reason)
            SELECT id, name, %s FROM sagas WHERE id = ?""";

    final String now;

    // sagas
    final String insert = INSERT;
    final String update = UPDATE.formatted("");
    final String updateWithData = UPDATE.formatted("data = ?,");
    final String find;
    final String findById;
    final String lock;

    /**
     * Skips a saga that another transaction has locked. The time of this statement decides, not the start of the transaction; the
     * primary key finds the row.
     */
    final String lockDue;

    /** Finds sagas that were written in the future, or that rest too long, and are not due. */
    final String lockAhead;

    final String wake;
    final String lockToPostpone;
    final String postpone;

    /** The beginning of the query of {@link SagaSearch}, with a place for the hint after the table. Reads no large columns. */
    final String selectForList;

    /** The hint for a search among the sagas that have not ended. Otherwise the database may read the ended ones in their order. */
    final String openIndex;

    final String startedBefore;
    final String createdAt;
    final String statistics;
    final String activity;
    final String signalLag;
    final String ended;

    // saga_signals
    final String post;
    final String signals = """
            SELECT id, kind, step, detail, actor, reason FROM saga_signals WHERE saga_id = ? ORDER BY id""";

    // saga_commands
    final String updateCommand;
    final String pruneCommands;

    private final String dueTimer;
    private final String dueSignal;
    private final Map<Integer, String> due = new ConcurrentHashMap<>();

    private SagaStatements(Dialect dialect) {
        String clock = dialect.clock();
        String start = dialect.now();
        String columns = "id, name, version, business_key, status, data, state, " + dialect.jsonText("headers")
                + ", parent_id, parent_step, error, stuck, wake_at, created_at, updated_at, ended_at, revision";
        String text = dialect.typed(SqlType.TEXT);
        now = "SELECT " + clock;
        String select = "SELECT " + columns + " FROM sagas WHERE ";
        find = select + "name = ? AND business_key = ?";
        findById = select + "id = ?";
        String selectNow = "SELECT " + columns + ", " + clock + " FROM sagas WHERE id = ?";
        lock = selectNow + " FOR UPDATE";
        String rested = "(rest_until IS NULL OR rest_until <= %s)";
        lockDue = selectNow + " AND " + rested.formatted(clock) + " AND (wake_at <= " + clock
                + " OR EXISTS (SELECT 1 FROM saga_signals g WHERE g.saga_id = sagas.id)) FOR UPDATE SKIP LOCKED";
        String later = dialect.plusSeconds(clock);
        lockAhead = "SELECT id FROM sagas WHERE ended_at IS NULL AND (wake_at > " + clock + " AND updated_at > " + later
                + " OR rest_until > " + later + ") LIMIT ? FOR UPDATE SKIP LOCKED";
        wake = "UPDATE sagas SET wake_at = " + clock
                + ", rest_until = NULL, revision = revision + 1 WHERE id = ANY (?)";
        lockToPostpone = "SELECT 1 FROM sagas WHERE id = ? AND ended_at IS NULL FOR UPDATE SKIP LOCKED";
        postpone = "UPDATE sagas SET rest_until = " + later + ", wake_at = " + later
                + ", error = ?, revision = revision + 1 WHERE id = ?";
        selectForList = "SELECT " + columns.replace("data, state", "'{}', '{}'") + " FROM sagas%s WHERE ";
        openIndex = dialect.forceIndex("sagas_ended");
        startedBefore = "created_at < " + dialect.minusSeconds(start);
        createdAt = "SELECT created_at FROM sagas WHERE id = ?";
        statistics = """
                SELECT name, status, count(*), sum(CASE WHEN stuck <> '' THEN 1 ELSE 0 END), %s
                FROM sagas WHERE ended_at IS NULL GROUP BY name, status
                UNION ALL
                SELECT name, status, count(*), 0, 0 FROM sagas WHERE ended_at IS NOT NULL GROUP BY name, status""".formatted(dialect.secondsBetween("min(created_at)", clock));
        activity = """
                SELECT name, status, count(*), sum(CASE WHEN stuck <> '' THEN 1 ELSE 0 END), %s, %s
                FROM sagas WHERE ended_at IS NULL GROUP BY name, status""".formatted(
                dialect.secondsBetween("min(created_at)", clock), dialect.secondsBetween("min(wake_at)", clock));
        signalLag = "SELECT saga_name, " + dialect.secondsBetween("min(posted_at)", clock)
                + " FROM saga_signals GROUP BY saga_name";
        ended = "SELECT id FROM sagas" + dialect.forceIndex("sagas_ended") + " WHERE "
                + dialect.isBefore("ended_at", dialect.minusSeconds(start))
                + " ORDER BY ended_at LIMIT ? FOR UPDATE SKIP LOCKED";
        post = POST.formatted(String.join(", ", Collections.nCopies(5, text)));
        dueTimer = "(SELECT id, wake_at AS since FROM sagas" + dialect.forceIndex("sagas_due")
                + " WHERE name = ? AND version = ? AND " + dialect.isBefore("wake_at", start)
                + " ORDER BY wake_at LIMIT ?)";
        // A subquery instead of a join: it leaves the planner no choice but one lookup by id for each signal.
        dueSignal = "(SELECT saga_id, posted_at FROM saga_signals" + dialect.forceIndex("saga_signals_posted")
                + " WHERE saga_name = ? AND (SELECT 1 FROM sagas s WHERE s.id = saga_signals.saga_id AND s.version = ? AND "
                + rested.formatted(start) + ") IS NOT NULL ORDER BY posted_at LIMIT ?)";
        // An unchanged time is an update that touches no index (HOT on PostgreSQL).
        updateCommand = "UPDATE saga_commands SET state = ?, reply_type = ?, reply_key = ?, reply_payload = ?,"
                + " decided_at = CASE WHEN ? = 1 THEN " + clock + " ELSE decided_at END"
                + " WHERE consumer_group = ? AND command_id = ?";
        pruneCommands = dialect.deleteFirst(
                "saga_commands",
                "consumer_group = ? AND " + dialect.isBefore("decided_at", dialect.minusSeconds(start)),
                "decided_at");
    }

    /**
     * Returns the query for the due sagas of this number of definitions, longest due first. For each definition it has two parts, and
     * each part has three parameters: the name, the version and the limit. The last parameter is the limit. Each part reads an index from
     * its beginning and stops at the limit, so the cost grows neither with waiting nor with ended sagas. A saga may be found twice.
     */
    String due(int definitions) {
        return due.computeIfAbsent(definitions, this::composeDue);
    }

    private String composeDue(int definitions) {
        StringBuilder union = new StringBuilder("SELECT id FROM (");
        for (int i = 0; i < definitions; i++) {
            union.append(i == 0 ? "" : " UNION ALL ")
                    .append(dueTimer)
                    .append(" UNION ALL ")
                    .append(dueSignal);
        }
        return union.append(") due ORDER BY since LIMIT ?").toString();
    }
}
