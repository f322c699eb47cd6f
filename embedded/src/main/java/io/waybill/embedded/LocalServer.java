package io.waybill.embedded;

import java.nio.file.Path;

/**
 * A server that runs on this machine in separate processes and stores its data in a folder.
 *
 * <p>One instance owns its folder, across all JVMs, until it is closed. Durable data survives {@link #kill()},
 * {@link #stop()} and {@link #close()}; {@link #restart()} starts the server with the same data on the same port. All
 * methods may be called by any thread; they run one at a time.
 */
public interface LocalServer extends AutoCloseable {

    /** The folder that holds the data, the log and the remembered ports. */
    Path folder();

    /** The port on 127.0.0.1 that clients connect to; the same for the life of this instance. */
    int port();

    /**
     * The id of the server's main process.
     *
     * @throws LocalServerException when the server does not run
     */
    long pid();

    /** Whether the main process exists; a suspended server runs. */
    boolean running();

    /** Ends the server as a crash would, with SIGKILL, and returns when all its processes are gone. */
    void kill();

    /** Freezes all processes of the server (SIGSTOP): connections stay open and requests get no answer. */
    void suspend();

    /** Continues a suspended server (SIGCONT). */
    void resume();

    /** Shuts the server down in order; a suspended server is resumed first. No-op if the server does not run. */
    void stop();

    /**
     * Stops the server if it runs, starts it on the same folder and port, and returns when it serves.
     *
     * @throws LocalServerException when it does not serve within its time limit, or was closed
     */
    void restart();

    /** Stops the server and releases the folder. The data stays. */
    @Override
    void close();

    /**
     * Ends the server without flushing its data, and releases the folder: faster than {@link #close()} if the folder is deleted
     * next. No-op if the server was closed.
     */
    default void discard() {
        kill();
        close();
    }
}
