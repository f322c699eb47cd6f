package io.waybill.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The life cycle that all local servers share: the lock of the folder, the remembered port, and the order of start, stop,
 * kill and restart. Subclasses say how their server starts, when it serves and how it shuts down.
 */
abstract class OwnedServer implements LocalServer {
    private final String title;
    private final Path folder;
    private final FolderLock lock;
    private final String portName;
    private final int wantedPort;

    /** Set once, by {@link #begin()}. */
    private volatile int port;

    private @Nullable ServerProcess process;
    private boolean closed;

    /**
     * Takes the folder, which is created if absent. Call {@link #begin()} next.
     *
     * @param portName the name under which the folder remembers the port
     * @param wantedPort 0 for the remembered port or, the first time, a free one
     */
    OwnedServer(String title, Path folder, String portName, int wantedPort) {
        this.title = title;
        this.portName = portName;
        this.wantedPort = wantedPort;
        try {
            this.folder = Files.createDirectories(folder).toRealPath();
            this.lock = FolderLock.take(this.folder);
        } catch (IOException e) {
            throw new LocalServerException("Cannot use folder " + folder + " for " + title + ": " + e, e);
        }
    }

    /**
     * Ends a server that a dead JVM left on this folder. The holder of the folder's lock calls this, so the owner of such a
     * server is known to be dead.
     */
    abstract void endOrphan() throws IOException;

    /** Called once, before the first start: creates the data and writes the configuration. The port is known. */
    abstract void prepare() throws IOException;

    /** Starts the server and returns when it serves; ends it if that takes too long. */
    abstract ServerProcess launch() throws IOException;

    /** Ends the server in order, or kills it if that takes too long. The server may be suspended. */
    abstract void shutDown(ServerProcess process);

    /** Starts the server for the first time. A start that fails releases the folder. */
    final synchronized void begin() {
        try {
            try {
                endOrphan(); // first: it may still listen on the remembered port
                port = new RememberedPorts(folder).choose(portName, wantedPort);
                prepare();
                process = launch();
            } catch (IOException | RuntimeException failed) {
                closed = true;
                lock.close();
                throw failed;
            }
        } catch (IOException e) {
            throw new LocalServerException(
                    "Cannot start " + title + " on folder " + folder + ": " + e
                            + ". Make sure that the folder and the cache folder (XDG_CACHE_HOME, else ~/.cache) can be"
                            + " written.",
                    e);
        }
    }

    final String title() {
        return title;
    }

    final Path log() {
        return folder.resolve("server.log");
    }

    @Override
    public final Path folder() {
        return folder;
    }

    @Override
    public final int port() {
        return port;
    }

    @Override
    public final synchronized long pid() {
        return runningProcess().pid();
    }

    @Override
    public final synchronized boolean running() {
        return process != null && process.alive();
    }

    @Override
    public final synchronized void kill() {
        if (process != null) {
            process.kill();
            process = null;
        }
    }

    @Override
    public final synchronized void suspend() {
        runningProcess().suspend();
    }

    @Override
    public final synchronized void resume() {
        runningProcess().resume();
    }

    @Override
    public final synchronized void stop() {
        if (process != null) {
            shutDown(process);
            process = null;
        }
    }

    @Override
    public final synchronized void restart() {
        if (closed) {
            throw new LocalServerException(title + " on " + folder + " was closed. Start a new one on the folder.");
        }
        stop();
        try {
            endOrphan();
            process = launch();
        } catch (IOException e) {
            throw new LocalServerException("Cannot restart " + title + " on " + folder + ": " + e, e);
        }
    }

    @Override
    public final synchronized void close() {
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

    /** @throws LocalServerException when the server does not run */
    final synchronized ServerProcess runningProcess() {
        if (process == null || !process.alive()) {
            throw new LocalServerException(title + " on " + folder + " does not run. Call restart() first.");
        }
        return process;
    }
}
