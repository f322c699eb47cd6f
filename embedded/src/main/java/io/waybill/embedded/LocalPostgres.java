package io.waybill.embedded;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A real PostgreSQL, version 18 unless set otherwise, on 127.0.0.1 whose commits are durable: fsync, synchronous_commit and full_page_writes are on.
 *
 * <p>The user is {@code postgres} and needs no password. The server is not a child of this JVM. If this JVM is killed, the
 * server keeps running until the next start on the folder shuts it down.
 */
public final class LocalPostgres extends OwnedServer {

    private static final Duration STOP_LIMIT = Duration.ofSeconds(20);

    private final Builder builder;
    private final PostgresFolder files;

    private LocalPostgres(Builder builder, PostgresBinaries binaries) {
        super("PostgreSQL", builder.folder, "postgres", builder.port);
        this.builder = builder;
        this.files = new PostgresFolder(folder(), binaries, Map.copyOf(builder.environment));
    }

    /** Starts a server with default settings on the folder, which is created if absent. */
    public static LocalPostgres start(Path folder) {
        return builder(folder).start();
    }

    public static Builder builder(Path folder) {
        return new Builder(requireNonNull(folder, "folder"));
    }

    /** The JDBC address, with user, of the database {@code postgres}. */
    public String jdbcUrl() {
        return jdbcUrl("postgres");
    }

    /** The JDBC address, with user, of a database on this server. */
    public String jdbcUrl(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port() + "/" + database + "?user=" + PostgresFolder.USER;
    }

    @Override
    void endOrphan() throws IOException {
        files.endOrphan(STOP_LIMIT);
    }

    @Override
    void prepare() throws IOException {
        if (builder.primary == null) {
            files.initialize(builder.startLimit);
        } else {
            files.copy(builder.primary);
        }
        files.configure(port(), builder.settings);
    }

    @Override
    ServerProcess launch() throws IOException {
        return files.launch(builder.startLimit);
    }

    @Override
    void shutDown(ServerProcess postmaster) {
        PostgresFolder.shutDown(postmaster, STOP_LIMIT);
    }

    /** Promotes a standby to a primary, and returns when it accepts writes. */
    public synchronized void promote() {
        try (Connection connection = DriverManager.getConnection(jdbcUrl());
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT pg_promote(true, " + builder.startLimit.toSeconds() + ")")) {
            if (!row.next() || !row.getBoolean(1)) {
                throw new LocalServerException("PostgreSQL on " + folder() + " was not promoted within "
                        + builder.startLimit + ". See its server.log.");
            }
        } catch (SQLException e) {
            throw new LocalServerException(
                    "Cannot promote PostgreSQL on " + folder() + ": " + e.getMessage()
                            + " Only a standby that runs can be promoted.",
                    e);
        }
    }

    /** Uses the immediate shutdown of PostgreSQL: SIGKILL would leave its shared memory in the kernel. */
    @Override
    public synchronized void discard() {
        if (running()) {
            ServerProcess postmaster = runningProcess();
            postmaster.resume();
            postmaster.quit();
        }
        close();
    }

    /** The settings of a server; all are optional. */
    public static final class Builder {

        private final Path folder;
        private final Map<String, String> settings = new LinkedHashMap<>(PostgresFolder.DEFAULTS);
        private final Map<String, String> environment = new LinkedHashMap<>();
        private @Nullable LocalPostgres primary;
        private @Nullable Path programs;
        private int port;
        private Duration startLimit = Duration.ofMinutes(3);

        private Builder(Path folder) {
            this.folder = folder;
        }

        /** Listens on this port instead of the one that the folder remembers or, the first time, a free one. */
        public Builder port(int port) {
            this.port = port;
            return this;
        }

        /**
         * Runs these programs, which may be of PostgreSQL 13 or newer, instead of those on the class path.
         *
         * @param programs the folder of an installation, which has the folder {@code bin}, or a jar of the group
         *     {@code io.zonky.test.postgres}
         */
        public Builder programs(Path programs) {
            this.programs = requireNonNull(programs, "programs");
            return this;
        }

        /** Sets a server parameter, such as {@code wal_level}; it applies until the next start on the folder. */
        public Builder setting(String name, String value) {
            settings.put(requireNonNull(name, "name"), requireNonNull(value, "value"));
            return this;
        }

        /** Sets an environment variable of the server's processes, such as {@code LD_PRELOAD}. */
        public Builder environment(String name, String value) {
            environment.put(requireNonNull(name, "name"), requireNonNull(value, "value"));
            return this;
        }

        /**
         * Starts as a copy of this server, which must run, and follows it by streaming replication until it is promoted. The
         * copy has the environment variables of the primary. If the folder already holds a cluster, nothing is copied.
         *
         * @param port the port that the standby connects to: the primary's own, or that of a proxy
         */
        public Builder standbyOf(LocalPostgres primary, int port) {
            this.primary = requireNonNull(primary, "primary");
            environment.putAll(primary.builder.environment);
            return setting(
                    "primary_conninfo",
                    "host=127.0.0.1 port=" + port + " user=" + PostgresFolder.USER + " application_name=standby");
        }

        /** The time limit for a start, including crash recovery (default 3 minutes). */
        public Builder startWithin(Duration limit) {
            this.startLimit = requireNonNull(limit, "limit");
            return this;
        }

        /**
         * Starts the server and returns when it accepts connections.
         *
         * @throws LocalServerException when the folder is in use or the server does not serve in time
         */
        public LocalPostgres start() {
            PostgresBinaries binaries;
            try {
                binaries = programs == null ? PostgresBinaries.unpacked() : PostgresBinaries.of(programs);
            } catch (IOException e) {
                throw new LocalServerException(
                        "Cannot unpack the programs of PostgreSQL: " + e
                                + ". Make sure that the cache folder (XDG_CACHE_HOME, else ~/.cache) can be written.",
                        e);
            }
            LocalPostgres server = new LocalPostgres(this, binaries);
            server.begin();
            return server;
        }
    }
}
