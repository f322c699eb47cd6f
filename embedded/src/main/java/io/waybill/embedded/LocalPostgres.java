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
 * <p>The user is {@code postgres} and needs no password. The server is no child of this JVM: a JVM that is killed
 * leaves it running, and the next start on the folder ends it, in order, before it starts its own.
 */
public final class LocalPostgres implements LocalServer {

    private static final Duration STOP_LIMIT = Duration.ofSeconds(20);

    private final Path folder;
    private final FolderLock lock;
    private final Map<String, String> environment;
    private final PostgresFolder files;
    private final int port;
    private final Duration startLimit;
    private @Nullable ServerProcess postmaster;
    private boolean closed;

    private LocalPostgres(Path folder, FolderLock lock, Builder builder) throws IOException {
        this.folder = folder;
        this.lock = lock;
        this.environment = Map.copyOf(builder.environment);
        this.files = new PostgresFolder(
                folder,
                builder.programs == null ? PostgresBinaries.unpacked() : PostgresBinaries.of(builder.programs),
                environment);
        this.startLimit = builder.startLimit;
        files.endOrphan(STOP_LIMIT);
        if (builder.primary == null) {
            files.initialize(startLimit);
        } else {
            files.copy(builder.primary);
        }
        this.port = new RememberedPorts(folder).choose("postgres", builder.port);
        files.configure(port, builder.settings);
        this.postmaster = files.launch(startLimit);
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
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database + "?user=" + PostgresFolder.USER;
    }

    @Override
    public Path folder() {
        return folder;
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public synchronized long pid() {
        return runningPostmaster().pid();
    }

    @Override
    public synchronized boolean running() {
        return postmaster != null && postmaster.alive();
    }

    @Override
    public synchronized void kill() {
        if (postmaster != null) {
            postmaster.kill();
            postmaster = null;
        }
    }

    @Override
    public synchronized void suspend() {
        runningPostmaster().suspend();
    }

    @Override
    public synchronized void resume() {
        runningPostmaster().resume();
    }

    @Override
    public synchronized void stop() {
        if (postmaster != null) {
            PostgresFolder.shutDown(postmaster, STOP_LIMIT);
            postmaster = null;
        }
    }

    @Override
    public synchronized void restart() {
        if (closed) {
            throw new LocalServerException("PostgreSQL on " + folder + " was closed. Start a new one on the folder.");
        }
        stop();
        try {
            files.endOrphan(STOP_LIMIT);
            postmaster = files.launch(startLimit);
        } catch (IOException e) {
            throw new LocalServerException("Cannot restart PostgreSQL on " + folder + ": " + e, e);
        }
    }

    /** Makes a standby a server of its own, which follows nobody and can be written to. Returns when it can. */
    public synchronized void promote() {
        try (Connection connection = DriverManager.getConnection(jdbcUrl());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_promote(true, " + startLimit.toSeconds() + ")")) {
            if (!row.next() || !row.getBoolean(1)) {
                throw new LocalServerException("PostgreSQL on " + folder + " was not promoted within " + startLimit
                        + ". Its server.log tells what it waits for.");
            }
        } catch (SQLException e) {
            throw new LocalServerException(
                    "Cannot promote PostgreSQL on " + folder + ": " + e.getMessage()
                            + " Only a standby that runs can be.",
                    e);
        }
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try (lock) {
            stop();
        } catch (IOException e) {
            throw new LocalServerException("Cannot release the lock of folder " + folder + ": " + e, e);
        }
    }

    /** By PostgreSQL's own immediate shutdown: after SIGKILL its shared memory would stay in the kernel. */
    @Override
    public synchronized void discard() {
        if (postmaster != null) {
            postmaster.resume();
            postmaster.quit();
        }
        close();
    }

    private ServerProcess runningPostmaster() {
        if (postmaster == null || !postmaster.alive()) {
            throw new LocalServerException("PostgreSQL on " + folder + " does not run. Call restart() first.");
        }
        return postmaster;
    }

    /** What may differ between two servers; nothing has to be set. */
    public static final class Builder {

        private final Path folder;
        private final Map<String, String> settings = new LinkedHashMap<>(PostgresFolder.DEFAULTS);
        private final Map<String, String> environment = new LinkedHashMap<>();
        private @Nullable LocalPostgres primary;
        private @Nullable Path programs;
        private int port;
        private Duration startLimit = Duration.ofSeconds(60);

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

        /** Sets a server parameter, such as {@code wal_level}; it holds until the next start on the folder. */
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
         * Starts as a copy of this server, which must run, and follows it by streaming until it is promoted. It has the primary's
         * environment variables. A folder that holds a cluster already is started as what it is.
         *
         * @param port where the standby reaches the primary: its own port, or that of a proxy before it
         */
        public Builder standbyOf(LocalPostgres primary, int port) {
            this.primary = requireNonNull(primary, "primary");
            environment.putAll(primary.environment);
            return setting(
                    "primary_conninfo",
                    "host=127.0.0.1 port=" + port + " user=" + PostgresFolder.USER + " application_name=standby");
        }

        /** How long the server may take to come up, crash recovery included; 60 seconds by default. */
        public Builder startWithin(Duration limit) {
            this.startLimit = requireNonNull(limit, "limit");
            return this;
        }

        /**
         * Starts the server and returns when it accepts connections.
         *
         * @throws LocalServerException when the folder is in use or the server does not come up in time
         */
        public LocalPostgres start() {
            try {
                FolderLock lock = FolderLock.take(folder);
                try {
                    return new LocalPostgres(folder.toRealPath(), lock, this);
                } catch (IOException | RuntimeException failed) {
                    lock.close();
                    throw failed;
                }
            } catch (IOException e) {
                throw new LocalServerException(
                        "Cannot start PostgreSQL on folder " + folder + ": " + e
                                + ". Make sure that the folder and the cache folder (XDG_CACHE_HOME, else ~/.cache) can be"
                                + " written.",
                        e);
            }
        }
    }
}
