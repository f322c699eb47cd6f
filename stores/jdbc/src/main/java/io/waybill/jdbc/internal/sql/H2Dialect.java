package io.waybill.jdbc.internal.sql;

import io.waybill.jdbc.Engine;
import io.waybill.jdbc.internal.assumption.Violation;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
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

    /** Where ranges begin: without a lower end they would begin at null, which stands before all times, at every open event. */
    private static final String EPOCH = "TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00'";

    private static final Translation TRANSLATION = new Translation()
            .rule("((?:\\w+\\.)?next_attempt_at) < 'infinity'", "$1 > " + EPOCH + " AND $1 < 'infinity'")
            .rule("processed_at < now\\(\\)", "processed_at > " + EPOCH + " AND processed_at < now()")
            .rule( // lane by lane: of a list of lanes, it would read all that they hold
                    "DELETE FROM outbox_events WHERE lane IN [^)]*\\) AND (.*?)\\s+LIMIT \\?",
                    "DELETE FROM outbox_events WHERE seq IN (SELECT e.seq FROM outbox_lanes l"
                            + " JOIN outbox_events e USE INDEX (outbox_events_open) ON e.lane = l.lane WHERE $1 LIMIT ?)")
            .rule( // a column that is the same for all rows counts when the order is that of an index
                    "e\\.next_attempt_at IS NULL\\s+ORDER BY e\\.seq LIMIT",
                    "e.next_attempt_at IS NULL ORDER BY e.lane, e.processed_at, e.next_attempt_at, e.seq LIMIT")
            .rule(
                    "(?:clock_timestamp|now)\\(\\) ([+-]) \\? \\* interval '1 second'",
                    "dateadd(MICROSECOND, CAST($1CAST(? AS double precision) * 1000000 AS bigint), " + NOW + ")")
            .rule(
                    "(?:clock_timestamp|now)\\(\\) ([+-]) \\? \\* interval '1 millisecond'",
                    "dateadd(MILLISECOND, $1CAST(? AS bigint), " + NOW + ")")
            .rule(
                    "CAST\\(date_part\\('epoch', (\\S+) - (\\S+)\\) \\* 1000000 AS bigint\\)",
                    "datediff(MICROSECOND, $2, $1)")
            .rule(
                    "extract\\(epoch FROM ([\\w.]+(?:\\(\\))?) - ([\\w.]+(?:\\(\\w*\\))?)\\)",
                    "(datediff(MICROSECOND, $2, $1) * 1e-6)") // a division of decfloats takes H2 seconds
            .rule("(?:clock_timestamp|now)\\(\\)", NOW)
            .rule("'infinity'", "TIMESTAMP WITH TIME ZONE '9999-12-31 00:00:00+00'")
            .rule("pg_column_size\\(([\\w.]+)\\)", "char_length($1)") // which it knows without reading the text
            .rule("octet_length\\(CAST\\(([\\w.]+) AS text\\)\\)", "char_length($1)")
            .rule("CAST\\(h\\.headers AS text\\)", "h.headers")
            .rule("CAST\\(\\? AS (?:text|json)\\)", "CAST(? AS varchar)")
            .rule("CAST\\(\\? AS bytea\\)", "CAST(? AS varbinary)")
            .rule("FOR SHARE", "FOR UPDATE")
            .rule("\\b(key|value)\\b", "\"$1\"")
            .rule(
                    "to_regclass\\(\\?\\) IS NOT NULL",
                    "count(*) > 0 FROM information_schema.tables WHERE table_schema = current_schema AND lower(table_name) = ?");

    @Override
    public String sql(String statement) {
        return TRANSLATION.of(statement);
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

    @Override
    public Optional<String> laneLock() {
        return Optional.of(PlainSql.LOCK);
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
    public List<Violation> violations(Connection connection, Engine engine) {
        return List.of();
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
