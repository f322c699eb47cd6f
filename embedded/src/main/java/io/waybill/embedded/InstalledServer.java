package io.waybill.embedded;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A server whose program the machine has, run in a folder of its own.
 *
 * <p>A shell stands between: it lives as long as its standard input stays open, whose other end belongs to this JVM
 * alone, and takes the server's process group along when it ends. So there are no orphans, however this JVM dies.
 */
abstract class InstalledServer implements LocalServer {
    private static final Duration STOP_LIMIT = Duration.ofSeconds(20);
    private static final Duration START_LIMIT = Duration.ofMinutes(2);
    private static final String LEASH = """
            exec 3<&0
            setsid "$@" </dev/null 3<&- &
            server=$!
            (while read -r line <&3; do :; done; kill -TERM -$server; sleep 15; kill -KILL -$server) 2>/dev/null &
            leash=$!
            wait $server
            kill -KILL $leash -$server 2>/dev/null
            """;

    private final String name;
    private final Path folder;
    private final FolderLock lock;
    private final int port;
    private @Nullable Process shell;
    private boolean closed;

    InstalledServer(String name, Path folder, int wantedPort) {
        this.name = name;
        try {
            this.lock = FolderLock.take(folder);
            this.folder = folder.toRealPath();
            this.port = new RememberedPorts(folder).choose("client", wantedPort);
        } catch (IOException e) {
            throw new LocalServerException("Cannot use folder " + folder + " for " + name + ": " + e, e);
        }
    }

    /** The server's command line; called before each start. */
    abstract List<String> command() throws IOException;

    abstract Map<String, String> environment();

    /** Whether it does its work, asked when its port takes connections. */
    abstract boolean serves();

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
        return runningShell().pid();
    }

    @Override
    public final synchronized boolean running() {
        return shell != null && shell.isAlive();
    }

    @Override
    public final synchronized void kill() {
        if (shell != null) {
            new ServerProcess(shell.toHandle()).kill();
            shell = null;
        }
    }

    @Override
    public final synchronized void suspend() {
        runningShell().suspend();
    }

    @Override
    public final synchronized void resume() {
        runningShell().resume();
    }

    @Override
    public final synchronized void stop() {
        if (shell == null) {
            return;
        }
        ServerProcess process = new ServerProcess(shell.toHandle());
        process.resume();
        try {
            shell.getOutputStream().close(); // the end of its input is its order to end
        } catch (IOException alreadyGone) {
            // the pipe breaks when the process has ended
        }
        process.awaitGone(STOP_LIMIT);
        kill(); // also what the server left behind
    }

    @Override
    public final synchronized void restart() {
        if (closed) {
            throw new LocalServerException(name + " on " + folder + " was closed. Start a new one on the folder.");
        }
        stop();
        launch();
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

    /** Starts the server and returns when it serves. */
    final synchronized void launch() {
        long end = System.nanoTime() + START_LIMIT.toNanos();
        try {
            List<String> leashed = new ArrayList<>(List.of("sh", "-c", LEASH, name));
            leashed.addAll(command());
            ProcessBuilder builder = new ProcessBuilder(leashed).directory(folder.toFile());
            builder.environment().putAll(environment());
            shell = builder.redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                    .start();
        } catch (IOException e) {
            throw new LocalServerException("Cannot start " + name + " on " + folder + ": " + e, e);
        }
        while (!accepts() || !serves()) {
            if (!running() || System.nanoTime() > end) {
                String what = running() ? " does not serve in time. " : " ended. ";
                kill();
                throw new LocalServerException(name + " on " + folder + ", port " + port + "," + what
                        + LogTail.of(log()) + " Is its program installed?");
            }
            ServerProcess.pause("waiting for " + name + " on port " + port);
        }
    }

    final Path log() {
        return folder.resolve("server.log");
    }

    private boolean accepts() {
        try (Socket socket = new Socket()) {
            socket.connect(FreePort.localAddress(port), 1_000);
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    private ServerProcess runningShell() {
        if (shell == null || !shell.isAlive()) {
            throw new LocalServerException(name + " on " + folder + " does not run. Call restart() first.");
        }
        return new ServerProcess(shell.toHandle());
    }
}
