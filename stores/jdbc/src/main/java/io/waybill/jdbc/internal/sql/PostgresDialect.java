package io.waybill.jdbc.internal.sql;

import io.waybill.jdbc.Engine;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** PostgreSQL 13 or newer. */
public final class PostgresDialect implements Dialect {
    /** Any number will do, as long as it stays the same. */
    private static final long SCHEMA_LOCK = 0x5741_5942_494c_4cL;

    /**
     * Statements are planned once, along the indexes. PostgreSQL plans with statistics that were gathered at a moment of its own
     * choice: while many events were held back, or before there were any. It would read the whole table, or a whole index, for a look
     * or a join that an index answers, or collect all that is left of a lane to sort it. Up to PostgreSQL 17, what it is kept from may make the rest look
     * so expensive that it would be compiled, each time. Statements fail where row-level security would hide rows from them.
     */
    public static final String SETTINGS = """
            SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_bitmapscan', 'off', true),
                   set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
                   set_config('enable_mergejoin', 'off', true), set_config('enable_sort', 'off', true),
                   set_config('enable_incremental_sort', 'off', true), set_config('jit', 'off', true),
                   set_config('row_security', 'off', true)""";

    private static final String LIMITS = """
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
    public String name(String column) {
        return column;
    }

    @Override
    public String forShare() {
        return "FOR SHARE";
    }

    /** Looks up each row by its id, never the other way round, however many rows the planner expects. */
    @Override
    public String joinById(String table, String alias) {
        return "CROSS JOIN LATERAL (SELECT * FROM " + table + " WHERE id = e.id OFFSET 0) " + alias;
    }

    /** DELETE has no LIMIT. Skips rows that another transaction is deleting. */
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
        if (value instanceof Instant time) {
            statement.setObject(index, time.atOffset(ZoneOffset.UTC));
        } else if (value instanceof JsonValue json) {
            statement.setObject(index, json.text(), Types.OTHER);
        } else {
            statement.setObject(index, value);
        }
    }

    @Override
    public UUID uuid(ResultSet row, int column) throws SQLException {
        return row.getObject(column, UUID.class);
    }

    @Override
    public @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    @Override
    public boolean together() {
        return true;
    }

    @Override
    public Optional<String> isolation() {
        return Optional.empty();
    }

    @Override
    public Optional<String> transactionSettings() {
        return Optional.of(SETTINGS);
    }

    @Override
    public Optional<String> transactionSettings(Duration patience) {
        return Optional.of(SETTINGS + LIMITS.formatted(Math.max(1, patience.toMillis())));
    }

    @Override
    public void lockSchema(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_xact_lock(" + SCHEMA_LOCK + ")");
            // This lock alone does not make the session see tables that it has once looked for in vain.
            statement.execute("SELECT 1 FROM pg_class LIMIT 0");
        }
    }

    /** The end of the transaction does it. */
    @Override
    public void unlockSchema(Connection connection) {}

    @Override
    public boolean transactionalTables() {
        return true;
    }

    @Override
    public Map<Integer, String> errors() {
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

    /** An INSERT that fails would end the transaction. */
    @Override
    public String unlessThere() {
        return " ON CONFLICT DO NOTHING";
    }

    @Override
    public ListBinding lists() {
        return ListBinding.ARRAY;
    }

    /** A statement names all tables of the same privileges. */
    @Override
    public List<String> grants(Map<String, String> privileges, String name) {
        Map<String, List<String>> together = new LinkedHashMap<>();
        privileges.forEach((table, allowed) ->
                together.computeIfAbsent(allowed, x -> new ArrayList<>()).add(table));
        return together.entrySet().stream()
                .map(e -> "GRANT " + e.getKey() + " ON " + String.join(", ", e.getValue()) + " TO " + name + ";")
                .toList();
    }
}
