package io.waybill.embedded;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A server whose main process is a child of this JVM and lives as long as its standard input stays open. The other end of
 * that pipe belongs to this JVM alone, so the server also ends when this JVM dies, in any way.
 *
 * <p>A suspended server cannot notice that its input has ended. If the JVM dies then, the next start on the folder ends
 * the server; the folder records its process id for this purpose.
 */
abstract class ChildServer extends OwnedServer {
    private static final Duration STOP_LIMIT = Duration.ofSeconds(20);

    private final Duration startLimit;
    private @Nullable Process child;

    ChildServer(String title, Path folder, String portName, int wantedPort, Duration startLimit) {
        super(title, folder, portName, wantedPort);
        this.startLimit = startLimit;
    }

    /** The program and its environment; called before each start. An argument must contain a path of the folder. */
    abstract ProcessBuilder program() throws IOException;

    /**
     * Whether the server serves clients. Called repeatedly, when its port accepts connections.
     *
     * @param limit the time that is left for the start
     */
    abstract boolean serves(Duration limit);

    @Override
    final void endOrphan() throws IOException {
        Optional<ServerProcess> orphan =
                recordedPid().flatMap(ServerProcess::find).filter(this::isOurs);
        if (orphan.isPresent()) {
            ServerProcess process = orphan.get();
            process.resume();
            process.awaitGone(STOP_LIMIT);
            process.kill();
        }
        Files.deleteIfExists(pidFile());
    }

    /** Called before each start. */
    void beforeLaunch() throws IOException {}

    @Override
    final ServerProcess launch() throws IOException {
        beforeLaunch();
        long end = System.nanoTime() + startLimit.toNanos();
        Process started = program()
                .directory(folder().toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                .start();
        child = started;
        Files.writeString(pidFile(), Long.toString(started.pid()));
        try {
            while (!accepts() || !serves(Duration.ofNanos(end - System.nanoTime()))) {
                if (!started.isAlive() || System.nanoTime() > end) {
                    throw failure(started);
                }
                ServerProcess.pause("waiting for " + title() + " on port " + port());
            }
        } catch (RuntimeException failed) {
            started.descendants().forEach(ProcessHandle::destroyForcibly);
            started.destroyForcibly();
            throw failed;
        }
        return new ServerProcess(started.toHandle());
    }

    @Override
    final void shutDown(ServerProcess process) {
        process.resume();
        try {
            if (child != null) {
                child.getOutputStream().close();
            }
        } catch (IOException alreadyGone) {
            // the pipe breaks when the process has ended
        }
        process.awaitGone(STOP_LIMIT);
        process.kill(); // also children that outlive the main process
    }

    private LocalServerException failure(Process started) {
        String what = started.isAlive()
                ? "does not serve within " + startLimit.toSeconds() + " seconds"
                : "ended with status " + started.exitValue();
        return new LocalServerException(title() + " on folder " + folder() + ", port " + port() + ", " + what
                + ". Repair what the log names (a taken port, a full disk, too little memory, a program that is not"
                + " installed), or start with an empty folder. " + LogTail.of(log()));
    }

    private boolean accepts() {
        try (Socket socket = new Socket()) {
            socket.connect(FreePort.localAddress(port()), 1_000);
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    private Path pidFile() {
        return folder().resolve("server.pid");
    }

    /** Another process may have the recorded id by now. */
    private boolean isOurs(ServerProcess process) {
        List<String> arguments = process.arguments();
        return arguments.stream().anyMatch(argument -> argument.contains(folder() + "/"));
    }

    private Optional<Long> recordedPid() throws IOException {
        if (!Files.exists(pidFile())) {
            return Optional.empty();
        }
        return Optional.of(Files.readString(pidFile()).strip())
                .filter(text -> text.matches("[0-9]{1,18}"))
                .map(Long::valueOf);
    }
}
