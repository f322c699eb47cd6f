package io.waybill.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The main process of a server and, through it, the processes it started. */
final class ServerProcess {

    private static final Duration KILL_LIMIT = Duration.ofSeconds(30);
    private static final Duration FREEZE_LIMIT = Duration.ofSeconds(30);
    private static final long POLL_MILLIS = 10;

    private final ProcessHandle main;

    ServerProcess(ProcessHandle main) {
        this.main = main;
    }

    /** Returns the process with this id, if it is alive. */
    static Optional<ServerProcess> find(long pid) {
        return ProcessHandle.of(pid).map(ServerProcess::new).filter(ServerProcess::alive);
    }

    long pid() {
        return main.pid();
    }

    boolean alive() {
        return alive(main);
    }

    List<String> arguments() {
        return List.of(main.info().arguments().orElse(new String[0]));
    }

    /** Asks the main process to end; for PostgreSQL this is the fast shutdown. */
    void interrupt() {
        signal("INT", List.of(main));
    }

    /** Asks the main process to end at once; for PostgreSQL this is the immediate shutdown. */
    void quit() {
        signal("QUIT", List.of(main));
    }

    /** Asks the main process to end; for MariaDB this is the orderly shutdown. */
    void terminate() {
        signal("TERM", List.of(main));
    }

    /** Freezes the main process and its children, and returns when none of their threads runs any more. */
    void suspend() {
        freeze(List.of(main));
        // The main process can no longer start children, so the list is complete.
        freeze(main.descendants().toList());
    }

    void resume() {
        List<ProcessHandle> all = main.descendants().collect(Collectors.toCollection(ArrayList::new));
        all.add(main);
        signal("CONT", all);
    }

    /**
     * Kills the main process and its children and returns when all are gone.
     *
     * <p>The main process is frozen first. Otherwise it could start a child after the children are listed and before it is
     * killed; that child would survive and keep the data folder in use.
     */
    void kill() {
        freeze(List.of(main));
        List<ProcessHandle> children = main.descendants().toList();
        main.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
        List<ProcessHandle> all = new ArrayList<>(children);
        all.add(main);
        if (!awaitGone(all, KILL_LIMIT)) {
            throw new LocalServerException(
                    "Process " + pid() + " or one of its children still exists " + KILL_LIMIT.toSeconds()
                            + " seconds after SIGKILL. It probably waits in the kernel; check the disk of its data folder.");
        }
    }

    /**
     * Sends SIGSTOP and waits until it has taken effect. The signal is only pending when {@code kill} returns: until one thread of
     * the process has received it, the other threads run, and on a busy machine they can still answer a request.
     */
    private static void freeze(Collection<ProcessHandle> processes) {
        signal("STOP", processes);
        long end = System.nanoTime() + FREEZE_LIMIT.toNanos();
        while (processes.stream().anyMatch(ServerProcess::running)) {
            if (System.nanoTime() > end) {
                throw new LocalServerException(
                        "A thread of " + processes + " still runs " + FREEZE_LIMIT.toSeconds()
                                + " seconds after SIGSTOP. It probably waits in the kernel; check the disk of its data folder.");
            }
            pause("waiting for process " + processes + " to stop");
        }
    }

    /** Whether a thread of the process is neither stopped nor ended. */
    private static boolean running(ProcessHandle process) {
        try (Stream<Path> threads = Files.list(taskFolder(process))) {
            return threads.anyMatch(thread -> {
                try {
                    return "TtZX".indexOf(state(thread.resolve("stat"))) < 0;
                } catch (IOException ended) {
                    return false;
                }
            });
        } catch (IOException | UncheckedIOException noProcFileSystemOrGone) {
            return false;
        }
    }

    boolean awaitGone(Duration limit) {
        return awaitGone(List.of(main), limit);
    }

    private static boolean awaitGone(Collection<ProcessHandle> processes, Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        while (processes.stream().anyMatch(ServerProcess::alive)) {
            if (System.nanoTime() > end) {
                return false;
            }
            pause("waiting for process " + processes + " to end");
        }
        return true;
    }

    /**
     * Whether the process can still run or holds files and ports. In a container whose first process does not reap orphans,
     * a killed server stays in the process table as a zombie; {@link ProcessHandle#isAlive()} returns true for zombies.
     *
     * <p>A process also counts as a zombie when its main thread has ended before other threads. The kernel closes files and
     * ports after the last thread has ended.
     */
    private static boolean alive(ProcessHandle process) {
        if (!process.isAlive()) {
            return false;
        }
        try {
            char state = state(Path.of("/proc", Long.toString(process.pid()), "stat"));
            return state != 'X' && (state != 'Z' || hasFurtherThreads(process));
        } catch (IOException noProcFileSystemOrGone) {
            return process.isAlive();
        }
    }

    private static boolean hasFurtherThreads(ProcessHandle zombie) throws IOException {
        try (Stream<Path> threads = Files.list(taskFolder(zombie))) {
            return threads.count() > 1;
        } catch (UncheckedIOException goneMeanwhile) {
            return false;
        }
    }

    private static Path taskFolder(ProcessHandle process) {
        return Path.of("/proc", Long.toString(process.pid()), "task");
    }

    /** Reads the state of a process or thread: one letter after the name, which is in parentheses. */
    private static char state(Path stat) throws IOException {
        String line = Files.readString(stat);
        return line.charAt(line.lastIndexOf(')') + 2);
    }

    /** Signals processes by id; a process that has ended in the meantime is no error. */
    private static void signal(String signal, Collection<ProcessHandle> processes) {
        List<String> pids = processes.stream()
                .filter(ServerProcess::alive)
                .map(p -> Long.toString(p.pid()))
                .toList();
        if (pids.isEmpty()) {
            return;
        }
        List<String> command = new ArrayList<>(
                // The kill that is built into the shell: small container images have no kill program.
                List.of("sh", "-c", "for pid in \"$@\"; do kill -" + signal + " \"$pid\"; done; true", "signal"));
        command.addAll(pids);
        try {
            new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new LocalServerException(
                    "Cannot send SIG" + signal + " to " + pids + ": no shell (sh) could be run.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LocalServerException("Interrupted while sending SIG" + signal + " to " + pids + ".", e);
        }
    }

    static void pause(String reason) {
        try {
            Thread.sleep(POLL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LocalServerException("Interrupted while " + reason + ".", e);
        }
    }
}
