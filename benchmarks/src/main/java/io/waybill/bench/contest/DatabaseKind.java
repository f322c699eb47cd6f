package io.waybill.bench.contest;

import io.waybill.embedded.LocalMariaDb;
import io.waybill.embedded.LocalPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The databases and their differences in the benchmarks. */
enum DatabaseKind {
    POSTGRESQL {
        @Override
        Server start(Path folder) {
            LocalPostgres postgres = LocalPostgres.builder(folder)
                    // large enough that no checkpoint happens during a run
                    .setting("shared_buffers", "1GB")
                    .setting("max_wal_size", "8GB")
                    .setting("checkpoint_timeout", "30min")
                    .setting("wal_level", "logical") // Debezium needs it
                    .start();
            return new Server(postgres.jdbcUrl(), OptionalLong.of(postgres.pid()), postgres);
        }

        @Override
        String own(String jdbcUrl, String schema) {
            return Schema.with(jdbcUrl, "currentSchema=" + schema + "&reWriteBatchedInserts=true");
        }

        @Override
        void make(String jdbcUrl, String schema) throws SQLException {
            execute(jdbcUrl, drop(schema), "CREATE SCHEMA " + schema);
        }

        @Override
        String drop(String schema) {
            return "SET client_min_messages = warning; DROP SCHEMA IF EXISTS " + schema + " CASCADE";
        }

        @Override
        boolean fillsItself() {
            return true;
        }

        @Override
        Optional<String> settle() {
            return Optional.of("CHECKPOINT");
        }

        @Override
        Optional<String> deadRows(String schema) {
            return Optional.of(
                    "SELECT coalesce(sum(n_tup_upd + n_tup_del), 0) FROM pg_stat_all_tables WHERE schemaname = '"
                            + schema + "'");
        }

        @Override
        Optional<String> walPosition() {
            return Optional.of("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn");
        }

        @Override
        Object id(UUID id) {
            return id;
        }

        @Override
        String json() {
            return "?::json";
        }

        @Override
        String events() {
            return """
                    CREATE TABLE events (seq bigserial, id uuid PRIMARY KEY, aggregate_type varchar(50) NOT NULL,
                        aggregate_id varchar(100) NOT NULL, event_type varchar(100) NOT NULL, payload json NOT NULL,
                        occurred_at timestamptz NOT NULL DEFAULT now(), status varchar(20) NOT NULL DEFAULT 'PENDING',
                        retry_count int NOT NULL DEFAULT 0, next_attempt_at timestamptz NOT NULL DEFAULT now(),
                        last_error text, processed_at timestamptz);
                    CREATE INDEX events_poll ON events (next_attempt_at, seq) WHERE status = 'PENDING'""";
        }

        @Override
        String within(int count) {
            return "= ANY (?)";
        }

        @Override
        void bindIds(PreparedStatement statement, List<String> ids) throws SQLException {
            statement.setArray(1, statement.getConnection().createArrayOf("uuid", ids.toArray()));
        }
    },
    MARIADB {
        @Override
        Server start(Path folder) {
            LocalMariaDb maria = LocalMariaDb.start(folder);
            return new Server(maria.jdbcUrl("mysql"), OptionalLong.of(maria.pid()), maria);
        }

        @Override
        String own(String jdbcUrl, String schema) {
            return jdbcUrl.replaceFirst("(jdbc:mariadb://[^/]+/)[^?]*", "$1" + schema);
        }

        @Override
        void make(String jdbcUrl, String schema) throws SQLException {
            execute(
                    jdbcUrl,
                    "DROP DATABASE IF EXISTS " + schema,
                    "CREATE DATABASE " + schema + " CHARACTER SET utf8mb4");
        }

        @Override
        String drop(String schema) {
            return "DROP DATABASE " + schema;
        }

        @Override
        boolean autoCommit() {
            return false;
        }

        @Override
        String events() {
            return TABLE.formatted("bigint AUTO_INCREMENT UNIQUE", "longtext", ", INDEX events_poll " + INDEX + ")");
        }
    },
    H2 {
        @Override
        Server start(Path folder) {
            return new Server("jdbc:h2:" + folder, OptionalLong.empty(), () -> {});
        }

        @Override
        String own(String jdbcUrl, String schema) {
            return jdbcUrl + "-" + schema;
        }

        @Override
        void make(String jdbcUrl, String schema) throws SQLException {
            execute(own(jdbcUrl, schema), drop(schema));
        }

        @Override
        String drop(String schema) {
            return "DROP ALL OBJECTS";
        }

        @Override
        String events() {
            return TABLE.formatted(
                    "bigint GENERATED ALWAYS AS IDENTITY UNIQUE",
                    "varchar(1000000)",
                    "); CREATE INDEX events_poll ON events " + INDEX);
        }

        /** No lock, because H2 would sort all due rows for each batch. There is only one worker. */
        @Override
        String lock() {
            return "";
        }
    };

    /** Without partial indexes, the state is the first column of the index. */
    private static final String TABLE = """
            CREATE TABLE events (seq %s, id char(36) PRIMARY KEY, aggregate_type varchar(50) NOT NULL,
                aggregate_id varchar(100) NOT NULL, event_type varchar(100) NOT NULL, payload %s NOT NULL,
                occurred_at timestamp(6) NOT NULL DEFAULT current_timestamp(6),
                status varchar(20) NOT NULL DEFAULT 'PENDING', retry_count int NOT NULL DEFAULT 0,
                next_attempt_at timestamp(6) NOT NULL DEFAULT current_timestamp(6), last_error varchar(4000),
                processed_at timestamp(6) NULL%s""";

    private static final String INDEX = "(status, next_attempt_at, seq)";

    static DatabaseKind of(String jdbcUrl) {
        return Stream.of(values())
                .filter(base -> jdbcUrl.startsWith("jdbc:" + base.label() + ":"))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("The benchmark does not support " + jdbcUrl + "."));
    }

    /** Returns the database of that name, such as {@code mariadb}, PostgreSQL without a name, or nothing if the name is an address. */
    static Optional<DatabaseKind> named(@Nullable String name) {
        return name == null
                ? Optional.of(POSTGRESQL)
                : Stream.of(values()).filter(base -> base.label().equals(name)).findFirst();
    }

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Settings of pooled connections, as in the waybill program. */
    boolean autoCommit() {
        return true;
    }

    /** A started server and the address for its administrator. */
    record Server(String jdbcUrl, OptionalLong pid, AutoCloseable process) {}

    abstract Server start(Path folder);

    /** Returns the address of connections that see only this schema. */
    abstract String own(String jdbcUrl, String schema);

    /** Returns statements that create an empty schema and drop an existing one. */
    abstract void make(String jdbcUrl, String schema) throws SQLException;

    /** Returns the statement that drops a schema. */
    abstract String drop(String schema);

    /** Whether the database can generate events, so that the client need not send them. */
    boolean fillsItself() {
        return false;
    }

    /** Returns the statement of a checkpoint, so that a run does not pay for earlier writes, or nothing if there is none. */
    Optional<String> settle() {
        return Optional.empty();
    }

    /** Returns a query for the number of updated and deleted rows of a schema so far. Unlike n_dead_tup, vacuum does not reset it. */
    Optional<String> deadRows(String schema) {
        return Optional.empty();
    }

    Optional<String> walPosition() {
        return Optional.empty();
    }

    /** Converts an id to a parameter value. */
    Object id(UUID id) {
        return id.toString();
    }

    /** Returns the placeholder of a payload. */
    String json() {
        return "?";
    }

    /** Binds the values of {@link #within}. They are the only parameters. */
    void bindIds(PreparedStatement statement, List<String> ids) throws SQLException {
        for (int i = 0; i < ids.size(); i++) {
            statement.setString(i + 1, ids.get(i));
        }
    }

    private static void execute(String jdbcUrl, String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(jdbcUrl);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Returns the table of the update loop, with a row for each event and only the index that a drain needs. */
    abstract String events();

    /** Returns the clause that locks the selected rows. */
    String lock() {
        return " FOR UPDATE SKIP LOCKED";
    }

    /** Returns a condition for this number of values. */
    String within(int count) {
        return "IN (" + String.join(", ", Collections.nCopies(count, "?")) + ")";
    }
}
