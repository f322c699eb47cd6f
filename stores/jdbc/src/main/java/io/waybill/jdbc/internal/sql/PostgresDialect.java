package io.waybill.jdbc.internal.sql;

import io.waybill.jdbc.Engine;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** PostgreSQL 13 or newer. */
public final class PostgresDialect implements Dialect {
    /** The key of the advisory lock. The number is arbitrary but must never change. */
    private static final long SCHEMA_LOCK = 0x5741_5942_494c_4cL;

    /**
     * Makes PostgreSQL plan each statement once, and along the indexes. PostgreSQL plans with statistics that may be outdated: they may
     * have been gathered while many events were held back, or while the table was empty. With such statistics it may scan a whole
     * table or index for a lookup or join that an index answers, or sort the whole backlog of a lane. Up to PostgreSQL 17, a disabled
     * plan node adds to the estimated cost, which can make PostgreSQL compile the query with JIT at every execution; so JIT is off.
     * With row_security off, statements fail where row-level security would hide rows from them.
     */
    public static final String SETTINGS = """
            SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_bitmapscan', 'off', true),
                   set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
                   set_config('enable_mergejoin', 'off', true), set_config('enable_sort', 'off', true),
                   set_config('enable_incremental_sort', 'off', true), set_config('jit', 'off', true),
                   set_config('row_security', 'off', true)""";

    private static final String TIMEOUTS = """
            ,
                   set_config('lock_timeout', '%1$d', true),
                   set_config('idle_in_transaction_session_timeout', '%1$d', true)""";

    /** The journal runs on PostgreSQL only, so its statements are composed before there is a connection. */
    public static final PostgresDialect INSTANCE = new PostgresDialect();

    private PostgresDialect() {}

    @Override
    public <S> S choose(S postgres, S mariaDb, S h2) {
        return postgres;
    }

    @Override
    public String now() {
        return "now()";
    }

    @Override
    public String clock() {
        return "clock_timestamp()";
    }

    @Override
    public String plusSeconds(String time) {
        return time + " + ? * interval '1 second'";
    }

    @Override
    public String minusSeconds(String time) {
        return time + " - ? * interval '1 second'";
    }

    @Override
    public String plusMillis(String time) {
        return time + " + ? * interval '1 millisecond'";
    }

    @Override
    public String minusMillis(String time) {
        return time + " - ? * interval '1 millisecond'";
    }

    @Override
    public String secondsBetween(String from, String to) {
        return "extract(epoch FROM " + to + " - " + from + ")";
    }

    @Override
    public String microsBetween(String from, String to) {
        return "CAST(date_part('epoch', " + to + " - " + from + ") * 1000000 AS bigint)";
    }

    @Override
    public String infinity() {
        return "'infinity'";
    }

    @Override
    public String typed(SqlType type) {
        return "CAST(? AS " + type.postgres + ")";
    }

    @Override
    public String asBigint(String value) {
        return "CAST(" + value + " AS bigint)";
    }

    @Override
    public String asUuid(String text) {
        return "CAST(" + text + " AS uuid)";
    }

    @Override
    public String jsonText(String column) {
        return "CAST(" + column + " AS text)";
    }

    @Override
    public String storedSize(String column) {
        return "pg_column_size(" + column + ")";
    }

    @Override
    public String length(String column) {
        return "octet_length(CAST(" + column + " AS text))";
    }

    @Override
    public String bytewise(String column) {
        return column + " COLLATE \"C\"";
    }

    @Override
    public String quoted(String column) {
        return column;
    }

    @Override
    public String forShare() {
        return "FOR SHARE";
    }

    /** The lateral join with OFFSET 0 forces a lookup by id for each row {@code e}, whatever the planner's row estimates are. */
    @Override
    public String joinById(String table, String alias) {
        return "CROSS JOIN LATERAL (SELECT * FROM " + table + " WHERE id = e.id OFFSET 0) " + alias;
    }

    /** PostgreSQL's DELETE has no LIMIT. The statement skips rows that another transaction is deleting. */
    @Override
    public String deleteFirst(String table, String condition, String order) {
        return "DELETE FROM " + table + " WHERE ctid = ANY (ARRAY(SELECT ctid FROM " + table + " WHERE " + condition
                + " ORDER BY " + order + " LIMIT ? FOR UPDATE SKIP LOCKED))";
    }

    @Override
    public String tableExists() {
        return "SELECT to_regclass(?) IS NOT NULL";
    }

    @Override
    public void bind(PreparedStatement statement, int index, Object value) throws SQLException {
        if (value instanceof JsonValue json) {
            statement.setObject(index, json.text(), Types.OTHER);
        } else {
            Dialect.super.bind(statement, index, value);
        }
    }

    @Override
    public boolean supportsPipelining() {
        return true;
    }

    @Override
    public Optional<String> setReadCommitted() {
        return Optional.empty();
    }

    @Override
    public Optional<String> transactionSettings() {
        return Optional.of(SETTINGS);
    }

    @Override
    public Optional<String> transactionSettings(Duration timeout) {
        return Optional.of(SETTINGS + TIMEOUTS.formatted(Math.max(1, timeout.toMillis())));
    }

    @Override
    public void lockSchema(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_xact_lock(" + SCHEMA_LOCK + ")");
            // A session caches that a table does not exist, and the advisory lock does not refresh this cache. A query
            // on pg_class does.
            statement.execute("SELECT 1 FROM pg_class LIMIT 0");
        }
    }

    /** The lock ends with the transaction. */
    @Override
    public void unlockSchema(Connection connection) {}

    @Override
    public boolean supportsTransactionalDdl() {
        return true;
    }

    @Override
    public Map<Integer, String> sqlStatesByErrorCode() {
        return Map.of();
    }

    @Override
    public SqlScript script(String name) {
        return SqlScript.in("postgresql", name);
    }

    @Override
    public String columns() {
        return "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped";
    }

    @Override
    public void refuseHiddenRows(Connection connection) throws SQLException {
        Sql.on(connection).exists("SELECT set_config('row_security', 'off', true)");
    }

    @Override
    public List<Engine> engines() {
        return List.of(Engine.JOURNAL, Engine.QUEUE);
    }

    @Override
    public boolean servesLayouts() {
        return true;
    }

    /** Needed because a failed INSERT would abort the transaction. */
    @Override
    public String onConflictDoNothing() {
        return " ON CONFLICT DO NOTHING";
    }

    @Override
    public ListBinding listBinding() {
        return ListBinding.ARRAY;
    }

    /** One statement grants the same privileges on several tables. */
    @Override
    public List<String> grants(Map<String, String> privileges, String role) {
        Map<String, List<String>> tables = new LinkedHashMap<>();
        privileges.forEach((table, allowed) ->
                tables.computeIfAbsent(allowed, x -> new ArrayList<>()).add(table));
        return tables.entrySet().stream()
                .map(e -> "GRANT " + e.getKey() + " ON " + String.join(", ", e.getValue()) + " TO " + role + ";")
                .toList();
    }
}
