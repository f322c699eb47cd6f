package io.waybill.jdbc.internal.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** H2 2.5, in memory or in a file. */
public final class H2Dialect implements Dialect {
    private static final String NOW = "current_timestamp(6)";

    /** A database in memory or in a file belongs to one process, and so does its lock. */
    private static final ReentrantLock SCHEMA = new ReentrantLock();

    /**
     * The lower end of every range. In an index of H2, nulls come before all times: a range without a lower end would start at the
     * first null, and so read every open event.
     */
    private static final String EPOCH = "TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00'";

    @Override
    public <S> S choose(S postgres, S mariaDb, S h2) {
        return h2;
    }

    @Override
    public String now() {
        return NOW;
    }

    @Override
    public String clock() {
        return NOW;
    }

    @Override
    public String plusSeconds(String time) {
        return "dateadd(MICROSECOND, CAST(CAST(? AS double precision) * 1000000 AS bigint), " + time + ")";
    }

    @Override
    public String minusSeconds(String time) {
        return "dateadd(MICROSECOND, CAST(-CAST(? AS double precision) * 1000000 AS bigint), " + time + ")";
    }

    @Override
    public String plusMillis(String time) {
        return "dateadd(MILLISECOND, CAST(? AS bigint), " + time + ")";
    }

    @Override
    public String minusMillis(String time) {
        return "dateadd(MILLISECOND, -CAST(? AS bigint), " + time + ")";
    }

    /** Multiplies, because H2 takes seconds to divide one decfloat by another. */
    @Override
    public String secondsBetween(String from, String to) {
        return "(datediff(MICROSECOND, " + from + ", " + to + ") * 1e-6)";
    }

    @Override
    public String microsBetween(String from, String to) {
        return "datediff(MICROSECOND, " + from + ", " + to + ")";
    }

    @Override
    public String infinity() {
        return "TIMESTAMP WITH TIME ZONE '9999-12-31 00:00:00+00'";
    }

    @Override
    public String isBefore(String column, String time) {
        return column + " > " + EPOCH + " AND " + column + " < " + time;
    }

    @Override
    public String typed(SqlType type) {
        return "CAST(? AS " + type.h2 + ")";
    }

    @Override
    public String asBigint(String value) {
        return "CAST(" + value + " AS bigint)";
    }

    @Override
    public String asUuid(String text) {
        return "CAST(" + text + " AS uuid)";
    }

    /** The length in characters, which H2 knows without reading the text. */
    @Override
    public String storedSize(String column) {
        return "char_length(" + column + ")";
    }

    @Override
    public String length(String column) {
        return "char_length(" + column + ")";
    }

    @Override
    public String name(String column) {
        return "\"" + column + "\"";
    }

    /** H2 has no shared row locks. */
    @Override
    public String forShare() {
        return "FOR UPDATE";
    }

    @Override
    public String tableExists() {
        return "SELECT count(*) > 0 FROM information_schema.tables"
                + " WHERE table_schema = current_schema AND lower(table_name) = ?";
    }

    @Override
    public void bind(PreparedStatement statement, int index, Object value) throws SQLException {
        if (value instanceof Instant time) {
            statement.setObject(index, time.atOffset(ZoneOffset.UTC));
        } else if (value instanceof JsonValue json) {
            statement.setString(index, json.text());
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

    /** READ COMMITTED is the default. */
    @Override
    public Optional<String> isolation() {
        return Optional.empty();
    }

    /** Waiting only: H2 cannot end a transaction whose client says nothing. */
    @Override
    public Limits limit(Connection connection, Duration patience) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("CALL LOCK_TIMEOUT()")) {
            row.next();
            long wait = row.getLong(1);
            return wait <= patience.toMillis()
                    ? Limits.NONE
                    : Limits.set(connection, "SET LOCK_TIMEOUT " + patience.toMillis(), "SET LOCK_TIMEOUT " + wait);
        }
    }

    @Override
    public void lockSchema(Connection connection) {
        SCHEMA.lock();
    }

    @Override
    public void unlockSchema(Connection connection) {
        SCHEMA.unlock();
    }

    @Override
    public boolean transactionalTables() {
        return false;
    }

    @Override
    public Map<Integer, String> errors() {
        return ERRORS;
    }

    @Override
    public SqlScript script(String name) {
        return SqlScript.in("h2", name);
    }

    private static final Map<Integer, String> ERRORS = Map.ofEntries(
            Map.entry(42102, "42P01"), // no such table
            Map.entry(42103, "42P01"),
            Map.entry(42104, "42P01"), // none at all
            Map.entry(42122, "42703"), // no such column
            Map.entry(90096, "42501"), // not allowed
            Map.entry(28000, "28P01"), // user or password
            Map.entry(90146, "3D000"), // no such database
            Map.entry(90149, "3D000"), // nor at a server that creates none
            Map.entry(90020, "08001"), // another process has the file
            Map.entry(90098, "08006"), // closed
            Map.entry(90121, "08006"),
            Map.entry(90067, "08001"), // connection broken
            Map.entry(23505, SqlState.DUPLICATE),
            Map.entry(40001, SqlState.DEADLOCK),
            Map.entry(50200, SqlState.WAITED_TOO_LONG)); // waited for a lock too long
}
