package io.waybill.embedded;

import java.nio.file.Path;

/**
 * A server that runs on this machine in processes of its own and keeps its data in a folder.
 *
 * <p>One instance owns its folder, across all JVMs, until it is closed. What was durable stays durable through
 * {@link #kill()}, {@link #stop()} and {@link #close()}; {@link #restart()} comes back with the same data on the same
 * port. All methods may be called by any thread; they run one at a time.
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

    /** Freezes all processes of the server (SIGSTOP): connections stay open and nothing answers. */
    void suspend();

    /** Lets a suspended server go on (SIGCONT). */
    void resume();

    /** Shuts the server down in order; a suspended one is resumed first. Does nothing when it does not run. */
    void stop();

    /**
     * Starts the server again on the same folder and port, after stopping it if it runs, and returns when it serves.
     *
     * @throws LocalServerException when it does not serve within its time limit, or was closed
     */
    void restart();

    /** Stops the server and gives up the folder. The data stays. */
    @Override
    void close();

    /**
     * Ends the server without letting it write what is left, and gives up the folder: for those who delete it next. Does nothing
     * when it was closed.
     */
    default void discard() {
        kill();
        close();
    }
}
