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

/** MariaDB 10.11 or newer. Times are stored as UTC in columns without a zone, ids as text. */
public class MariaDbDialect implements Dialect {
    private static final String NOW = "utc_timestamp(6)";

    /** Fits into the smallest usual packet without asking. */
    private static final int SMALL = 1 << 19;

    /** Room for the statement and its other values. */
    private static final int OTHER_VALUES = 1 << 18;

    private static final String OTHERS_FIRST = "SELECT GET_LOCK('waybill schema', 60)";

    private static final String LIMIT_SILENCE = "SET SESSION idle_transaction_timeout = %d";

    private static final String LIMIT = LIMIT_SILENCE + ", innodb_lock_wait_timeout = %d";

    /** How long each session may say nothing inside a transaction; 0 for ever. */
    private static final Map<Connection, Integer> SILENCE = Collections.synchronizedMap(new WeakHashMap<>());

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
    public String name(String column) {
        return "`" + column + "`";
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

    /** For the next transaction alone. REPEATABLE READ, the default, locks gaps and shows what is gone. */
    @Override
    public Optional<String> isolation() {
        return Optional.of("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
    }

    /** The driver sends a value as text, with an escape before some of its bytes; the server closes the connection on too many. */
    @Override
    public void requireRoom(Connection connection, byte[] value) throws SQLException {
        if (value.length < SMALL) {
            return;
        }
        long size = OTHER_VALUES;
        for (byte b : value) {
            size += b == 0 || b == '\'' || b == '"' || b == '\\' ? 2 : 1;
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT @@max_allowed_packet")) {
            if (row.next() && size > row.getLong(1)) {
                throw new SQLException(
                        "A message of " + value.length + " bytes does not fit into max_allowed_packet, which is "
                                + row.getLong(1) + ". Raise it to keep such messages whole.",
                        "54000");
            }
        }
    }

    @Override
    public Limits limit(Connection connection, Duration patience) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT @@SESSION.idle_transaction_timeout, @@SESSION.innodb_lock_wait_timeout")) {
            row.next();
            int silence = row.getInt(1);
            int wait = row.getInt(2);
            int most = seconds(patience);
            if (silence > 0 && silence <= most && wait <= most) {
                return Limits.NONE;
            }
            return Limits.set(connection, LIMIT.formatted(most, Math.min(wait, most)), LIMIT.formatted(silence, wait));
        }
    }

    /** A round trip before and after each claim, unless the pool has set a time; what it has set is asked for once. */
    @Override
    public Limits limitSilence(Connection connection, Duration patience) throws SQLException {
        Connection session = connection.unwrap(Connection.class);
        Integer known = SILENCE.get(session);
        if (known == null) {
            known = silence(connection);
            SILENCE.put(session, known);
        }
        return known > 0
                ? Limits.NONE
                : Limits.set(connection, LIMIT_SILENCE.formatted(seconds(patience)), LIMIT_SILENCE.formatted(0));
    }

    private static int silence(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT @@SESSION.idle_transaction_timeout")) {
            row.next();
            return row.getInt(1);
        }
    }

    private static int seconds(Duration patience) {
        return (int) Math.max(1, Math.min(100_000, patience.plusMillis(999).toSeconds()));
    }

    @Override
    public void lockSchema(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(OTHERS_FIRST)) {
            if (!row.next() || row.getInt(1) != 1) {
                throw new StoreException("Somebody else has been creating tables for a minute. Try again.", null);
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
    public boolean transactionalTables() {
        return false;
    }

    @Override
    public Map<Integer, String> errors() {
        return ERRORS;
    }

    @Override
    public SqlScript script(String name) {
        return SqlScript.in("mariadb", name);
    }

    private static final Map<Integer, String> ERRORS = Map.ofEntries(
            Map.entry(1146, "42P01"), // no such table
            Map.entry(1054, "42703"), // no such column
            Map.entry(1044, "42501"), // not this database
            Map.entry(1142, "42501"), // not this table
            Map.entry(1143, "42501"), // not this column
            Map.entry(1045, "28P01"), // user or password
            Map.entry(1698, "28000"), // user
            Map.entry(1049, "3D000"), // no such database
            Map.entry(1040, "53300"), // too many connections
            Map.entry(1203, "53300"), // too many of this user
            Map.entry(1021, "53100"), // disk full
            Map.entry(1290, "25006"), // read only
            Map.entry(1053, "57P01"), // shutting down
            Map.entry(1927, "57P01"), // connection killed
            Map.entry(1062, SqlState.DUPLICATE),
            Map.entry(4025, "22P02"), // a check failed: JSON that is none, in MariaDB
            Map.entry(3819, "22P02"), // the same in MySQL
            Map.entry(1205, SqlState.WAITED_TOO_LONG), // waited for a lock too long
            Map.entry(1213, SqlState.DEADLOCK));
}
