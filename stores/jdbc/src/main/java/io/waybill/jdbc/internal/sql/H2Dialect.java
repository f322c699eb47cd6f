package io.waybill.jdbc.internal.sql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** H2 2.5, in memory or in a file. */
public final class H2Dialect implements Dialect {
    private static final String NOW = "current_timestamp(6)";

    /** One process at a time can open a database in memory or in a file, so a lock inside the process is enough. */
    private static final ReentrantLock SCHEMA_LOCK = new ReentrantLock();

    /**
     * The lower bound of every range of times. H2 indexes sort nulls before all times. A range without a lower bound would start at the
     * first null and therefore read every open event.
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

    /** Multiplies by 1e-6, because a division of two decfloat values takes H2 several seconds. */
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

    /** The length in characters. H2 stores it beside the text. */
    @Override
    public String storedSize(String column) {
        return "char_length(" + column + ")";
    }

    @Override
    public String length(String column) {
        return "char_length(" + column + ")";
    }

    @Override
    public String quoted(String column) {
        return "\"" + column + "\"";
    }

    /** Locks exclusively, because H2 has no shared row locks. */
    @Override
    public String forShare() {
        return "FOR UPDATE";
    }

    @Override
    public String tableExists() {
        return "SELECT count(*) > 0 FROM information_schema.tables"
                + " WHERE table_schema = current_schema AND lower(table_name) = ?";
    }

    /** READ COMMITTED is the default. */
    @Override
    public Optional<String> setReadCommitted() {
        return Optional.empty();
    }

    /** Sets the lock timeout only: H2 has no idle timeout for transactions. */
    @Override
    public SessionTimeouts setTimeouts(Connection connection, Duration timeout) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("CALL LOCK_TIMEOUT()")) {
            row.next();
            long lockTimeout = row.getLong(1);
            return lockTimeout <= timeout.toMillis()
                    ? SessionTimeouts.NONE
                    : SessionTimeouts.set(
                            connection, "SET LOCK_TIMEOUT " + timeout.toMillis(), "SET LOCK_TIMEOUT " + lockTimeout);
        }
    }

    @Override
    public void lockSchema(Connection connection) {
        SCHEMA_LOCK.lock();
    }

    @Override
    public void unlockSchema(Connection connection) {
        SCHEMA_LOCK.unlock();
    }

    @Override
    public boolean supportsTransactionalDdl() {
        return false;
    }

    @Override
    public Map<Integer, String> sqlStatesByErrorCode() {
        return SQL_STATES;
    }

    @Override
    public SqlScript script(String name) {
        return SqlScript.in("h2", name);
    }

    private static final Map<Integer, String> SQL_STATES = Map.ofEntries(
            Map.entry(42102, SqlState.UNDEFINED_TABLE),
            Map.entry(42103, SqlState.UNDEFINED_TABLE), // with a list of similar names
            Map.entry(42104, SqlState.UNDEFINED_TABLE), // in an empty database
            Map.entry(42122, SqlState.UNDEFINED_COLUMN),
            Map.entry(90096, SqlState.INSUFFICIENT_PRIVILEGE),
            Map.entry(28000, SqlState.INVALID_PASSWORD),
            Map.entry(90146, SqlState.UNDEFINED_DATABASE),
            Map.entry(90149, SqlState.UNDEFINED_DATABASE), // on a server that does not create databases
            Map.entry(90020, SqlState.CANNOT_CONNECT), // another process has opened the file
            Map.entry(90098, SqlState.CONNECTION_FAILURE), // the database is closed
            Map.entry(90121, SqlState.CONNECTION_FAILURE), // the database is closed by a shutdown hook
            Map.entry(90067, SqlState.CANNOT_CONNECT),
            Map.entry(23505, SqlState.UNIQUE_VIOLATION),
            Map.entry(40001, SqlState.DEADLOCK),
            Map.entry(50200, SqlState.LOCK_TIMEOUT));
}
