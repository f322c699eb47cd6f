package io.waybill.jdbc.internal.sql;

import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/** MariaDB 10.11 or newer. It stores times as UTC in columns without a time zone, and ids as text. */
public class MariaDbDialect implements Dialect {
    private static final String NOW = "utc_timestamp(6)";

    /** A value of this many bytes fits into the smallest packet size in common use, so the packet size need not be queried. */
    private static final int SMALL_VALUE = 1 << 19;

    /** Bytes reserved in a packet for the statement's text and its other values. */
    private static final int STATEMENT_OVERHEAD = 1 << 18;

    private static final String LOCK_SCHEMA = "SELECT GET_LOCK('waybill schema', 60)";

    /** The idle timeout of each session in seconds, as the pool has set it. 0 means no timeout. */
    private static final Map<Connection, Integer> IDLE_TIMEOUTS = Collections.synchronizedMap(new WeakHashMap<>());

    @Override
    public <S> S choose(S postgres, S mariaDb, S h2) {
        return mariaDb;
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
        return time + " + INTERVAL ? * 1000000 MICROSECOND";
    }

    @Override
    public String minusSeconds(String time) {
        return time + " - INTERVAL ? * 1000000 MICROSECOND";
    }

    @Override
    public String plusMillis(String time) {
        return time + " + INTERVAL ? * 1000 MICROSECOND";
    }

    @Override
    public String minusMillis(String time) {
        return time + " - INTERVAL ? * 1000 MICROSECOND";
    }

    @Override
    public String secondsBetween(String from, String to) {
        return "(timestampdiff(MICROSECOND, " + from + ", " + to + ") * 1e-6)";
    }

    @Override
    public String microsBetween(String from, String to) {
        return "timestampdiff(MICROSECOND, " + from + ", " + to + ")";
    }

    @Override
    public String infinity() {
        return "TIMESTAMP '9999-12-31 00:00:00'";
    }

    @Override
    public String typed(SqlType type) {
        return "?";
    }

    @Override
    public String asBigint(String value) {
        return "CAST(" + value + " AS signed)";
    }

    @Override
    public String asUuid(String text) {
        return "CAST(" + text + " AS char(36) CHARACTER SET ascii)";
    }

    @Override
    public String storedSize(String column) {
        return "octet_length(" + column + ")";
    }

    @Override
    public String length(String column) {
        return "octet_length(" + column + ")";
    }

    @Override
    public String quoted(String column) {
        return "`" + column + "`";
    }

    /** With ORDER BY and LIMIT, MySQL may read the whole table in the order of its primary key until it finds enough rows. */
    @Override
    public String forceIndex(String index) {
        return " FORCE INDEX (" + index + ")";
    }

    @Override
    public String forShare() {
        return "LOCK IN SHARE MODE";
    }

    @Override
    public String tableExists() {
        return "SELECT count(*) > 0 FROM information_schema.tables WHERE table_schema = database() AND table_name = ?";
    }

    @Override
    public void bind(PreparedStatement statement, int index, Object value) throws SQLException {
        if (value instanceof Instant time) {
            statement.setObject(index, LocalDateTime.ofInstant(time, ZoneOffset.UTC));
        } else if (value instanceof JsonValue json) {
            statement.setString(index, json.text());
        } else if (value instanceof UUID id) {
            statement.setString(index, id.toString());
        } else {
            statement.setObject(index, value);
        }
    }

    @Override
    public UUID uuid(ResultSet row, int column) throws SQLException {
        return UUID.fromString(row.getString(column));
    }

    @Override
    public @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        LocalDateTime time = row.getObject(column, LocalDateTime.class);
        return time == null ? null : time.toInstant(ZoneOffset.UTC);
    }

    /**
     * Applies to the next transaction only. The default, REPEATABLE READ, locks the gaps between index entries and returns rows that
     * other transactions have deleted in the meantime.
     */
    @Override
    public Optional<String> setReadCommitted() {
        return Optional.of("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
    }

    /**
     * The driver sends a value as text and escapes some of its bytes. The server closes the connection when a packet exceeds
     * max_allowed_packet.
     */
    @Override
    public void requireFitsPacket(Connection connection, byte[] value) throws SQLException {
        if (value.length < SMALL_VALUE) {
            return;
        }
        long size = STATEMENT_OVERHEAD;
        for (byte b : value) {
            size += b == 0 || b == '\'' || b == '"' || b == '\\' ? 2 : 1;
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT @@max_allowed_packet")) {
            if (row.next() && size > row.getLong(1)) {
                throw new SQLException(
                        "A message of " + value.length + " bytes does not fit into max_allowed_packet, which is "
                                + row.getLong(1) + ". Raise max_allowed_packet to store such messages.",
                        "54000");
            }
        }
    }

    /** The session variable that limits how many seconds a client may be idle inside a transaction. 0 means no limit. */
    String idleTimeoutVariable() {
        return "idle_transaction_timeout";
    }

    @Override
    public SessionTimeouts setTimeouts(Connection connection, Duration timeout) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT @@SESSION." + idleTimeoutVariable() + ", @@SESSION.innodb_lock_wait_timeout")) {
            row.next();
            int idle = row.getInt(1);
            int lockWait = row.getInt(2);
            int most = seconds(timeout);
            if (isWithin(most, idle) && lockWait <= most) {
                return SessionTimeouts.NONE;
            }
            String lockTimeout = ", innodb_lock_wait_timeout = ";
            return SessionTimeouts.set(
                    connection,
                    setIdleTimeout(most) + lockTimeout + Math.min(lockWait, most),
                    setIdleTimeout(idle) + lockTimeout + lockWait);
        }
    }

    /**
     * Costs a round trip before and after each claim, unless the session has a timeout that is short enough. The session's own value
     * is queried once for each session.
     */
    @Override
    public SessionTimeouts setIdleTimeout(Connection connection, Duration timeout) throws SQLException {
        Connection session = connection.unwrap(Connection.class);
        Integer known = IDLE_TIMEOUTS.get(session);
        if (known == null) {
            known = idleTimeout(connection);
            IDLE_TIMEOUTS.put(session, known);
        }
        int most = seconds(timeout);
        return isWithin(most, known)
                ? SessionTimeouts.NONE
                : SessionTimeouts.set(connection, setIdleTimeout(most), setIdleTimeout(known));
    }

    private static boolean isWithin(int most, int idle) {
        return idle > 0 && idle <= most;
    }

    private String setIdleTimeout(int seconds) {
        return "SET SESSION " + idleTimeoutVariable() + " = " + seconds;
    }

    private int idleTimeout(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT @@SESSION." + idleTimeoutVariable())) {
            row.next();
            return row.getInt(1);
        }
    }

    private static int seconds(Duration timeout) {
        return (int) Math.max(1, Math.min(100_000, timeout.plusMillis(999).toSeconds()));
    }

    @Override
    public void lockSchema(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(LOCK_SCHEMA)) {
            if (!row.next() || row.getInt(1) != 1) {
                throw new StoreException(
                        "Cannot create tables: another session has held the lock 'waybill schema' for 60 s. Try again when it"
                                + " has finished.",
                        null);
            }
        }
    }

    @Override
    public void unlockSchema(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("DO RELEASE_LOCK('waybill schema')");
        }
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
        return SqlScript.in("mariadb", name);
    }

    static final Map<Integer, String> SQL_STATES = Map.ofEntries(
            Map.entry(1146, SqlState.UNDEFINED_TABLE),
            Map.entry(1054, SqlState.UNDEFINED_COLUMN),
            Map.entry(1044, SqlState.INSUFFICIENT_PRIVILEGE), // on the database
            Map.entry(1142, SqlState.INSUFFICIENT_PRIVILEGE), // on the table
            Map.entry(1143, SqlState.INSUFFICIENT_PRIVILEGE), // on the column
            Map.entry(1045, SqlState.INVALID_PASSWORD),
            Map.entry(1698, SqlState.INVALID_AUTHORIZATION),
            Map.entry(1049, SqlState.UNDEFINED_DATABASE),
            Map.entry(1040, SqlState.TOO_MANY_CONNECTIONS),
            Map.entry(1203, SqlState.TOO_MANY_CONNECTIONS), // of this user
            Map.entry(1021, SqlState.DISK_FULL),
            Map.entry(1290, SqlState.READ_ONLY),
            Map.entry(1053, SqlState.ADMIN_SHUTDOWN),
            Map.entry(1927, SqlState.ADMIN_SHUTDOWN), // the connection was killed
            Map.entry(1062, SqlState.UNIQUE_VIOLATION),
            Map.entry(4025, SqlState.INVALID_JSON), // a CHECK constraint failed; all of Waybill's check JSON
            Map.entry(1205, SqlState.LOCK_TIMEOUT),
            Map.entry(1213, SqlState.DEADLOCK));
}
