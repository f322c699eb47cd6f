package io.waybill.examples.polyshop.launcher;

import io.waybill.WaybillException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A process of the shop, which can be killed, stopped and started again. It runs below a shell that ends it when this JVM ends, however
 * that happens: the shell's standard input is a pipe whose other end only this JVM has.
 */
final class Child implements AutoCloseable {
    /** Starts the program without the pipe, ends it when the pipe closes, and returns its status. */
    private static final String GUARD = "exec 3<&0; \"$@\" </dev/null 3<&- & child=$!; "
            + "{ cat <&3; kill -CONT $child; kill $child; sleep 5; kill -9 $child; } >/dev/null 2>&1 & "
            + "watch=$!; exec 3<&-; wait $child; status=$?; kill $watch 2>/dev/null; exit $status";

    private static final long STOP_SECONDS = 15;

    private final String name;
    private final List<String> command;
    private final Map<String, String> environment;
    private final Path folder;
    private final Path log;
    private @Nullable Process guard;
    private boolean suspended;

    Child(String name, List<String> command, Map<String, String> environment, Path folder, Path log) {
        this.name = name;
        this.command = List.copyOf(command);
        this.environment = Map.copyOf(environment);
        this.folder = folder;
        this.log = log;
    }

    String name() {
        return name;
    }

    Path log() {
        return log;
    }

    synchronized void start() {
        if (running()) {
            return;
        }
        List<String> guarded = new ArrayList<>(List.of("sh", "-c", GUARD, name));
        guarded.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(guarded)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(environment);
        try {
            Files.createDirectories(log.toAbsolutePath().getParent());
            guard = builder.start();
            suspended = false;
        } catch (IOException e) {
            throw new WaybillException("Cannot start the service " + name + ": " + e.getMessage(), e);
        }
    }

    /** Whether the program runs; also while it is suspended. */
    synchronized boolean running() {
        return guard != null && guard.isAlive();
    }

    /** The program itself, below the shell. Its siblings are the parts of the guard. */
    private Optional<ProcessHandle> program() {
        Process shell = guard;
        return shell == null || !shell.isAlive()
                ? Optional.empty()
                : shell.children().filter(ProcessHandle::isAlive).min((a, b) -> Long.compare(a.pid(), b.pid()));
    }

    synchronized Optional<Long> pid() {
        return program().map(ProcessHandle::pid);
    }

    /** Ends the program with SIGKILL, and returns when it is gone. */
    synchronized void kill() {
        Process shell = guard;
        if (shell == null) {
            return;
        }
        List<ProcessHandle> below = shell.descendants().toList();
        below.forEach(ProcessHandle::destroyForcibly);
        shell.destroyForcibly();
        await(shell);
        guard = null;
    }

    /** Freezes the program with SIGSTOP. */
    synchronized void suspend() {
        signal("STOP");
        suspended = true;
    }

    synchronized void resume() {
        if (suspended) {
            signal("CONT");
            suspended = false;
        }
    }

    private void signal(String signal) {
        program().ifPresent(process -> {
            try {
                int status = new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid())
                        .start()
                        .waitFor();
                if (status != 0) {
                    throw new WaybillException("Cannot send SIG" + signal + " to the service " + name + ".");
                }
            } catch (IOException e) {
                throw new WaybillException("Cannot send SIG" + signal + " to the service " + name + ".", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** Asks the program to end, without waiting for it. */
    synchronized void requestStop() {
        resume();
        program().ifPresent(ProcessHandle::destroy);
    }

    /** Ends the program; with SIGKILL if it does not end in time. */
    @Override
    public synchronized void close() {
        requestStop();
        Process shell = guard;
        if (shell != null) {
            try {
                if (!shell.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                    kill();
                }
                shell.getOutputStream().close();
            } catch (IOException e) {
                // the pipe breaks when the shell has ended
            } catch (InterruptedException e) {
                kill();
                Thread.currentThread().interrupt();
            }
            guard = null;
        }
    }

    private void await(Process shell) {
        try {
            if (!shell.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                throw new WaybillException("The service " + name + " does not end.");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the last lines of the log, for the report of a failed start. */
    String lastLines() {
        try {
            List<String> lines = Files.readAllLines(log);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size()));
        } catch (IOException e) {
            return "";
        }
    }
}
