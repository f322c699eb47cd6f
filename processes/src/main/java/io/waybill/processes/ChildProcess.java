package io.waybill.processes;

import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A program of this package in its own JVM. It can be killed, frozen and terminated, and it reads commands. */
public final class ChildProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final int REMEMBERED = 10_000;

    private final Process process;
    private final PrintStream log;
    private final List<String> output = new ArrayList<>();

    private ChildProcess(Process process, PrintStream log) {
        this.process = process;
        this.log = log;
        Thread reader = new Thread(this::read, "child-process-" + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /** Runs a program of this class path with these JVM options. */
    public static ChildProcess run(Class<?> main, List<String> options, String... arguments) {
        return start(main, options, new PrintStream(OutputStream.nullOutputStream()), arguments);
    }

    /** As the other method, and appends the output to a file. */
    public static ChildProcess run(Path log, Class<?> main, List<String> options, String... arguments)
            throws IOException {
        OutputStream file = Files.newOutputStream(log, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        return start(main, options, new PrintStream(file, true, StandardCharsets.UTF_8), arguments);
    }

    private static ChildProcess start(Class<?> main, List<String> options, PrintStream log, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Xmx256m"));
        command.addAll(options);
        command.add(main.getName());
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        try {
            return new ChildProcess(builder.start(), log);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot start a JVM for " + main.getSimpleName(), e);
        }
    }

    public long pid() {
        return process.pid();
    }

    public ChildProcess awaitStarted() {
        return awaitOutput("started");
    }

    /** Waits until the process has printed a line with this prefix. */
    public ChildProcess awaitOutput(String line) {
        await("the process says '" + line + "', not only " + output())
                .atMost(PATIENCE)
                .until(() -> output().stream().anyMatch(said -> said.startsWith(line)));
        return this;
    }

    /** Returns the output, or its last lines if it is long. */
    public List<String> output() {
        synchronized (output) {
            return List.copyOf(output);
        }
    }

    public boolean hasEnded() {
        return !process.isAlive();
    }

    public int awaitExit() {
        await("the process ends").atMost(PATIENCE).until(() -> !process.isAlive());
        return process.exitValue();
    }

    /** Returns whether the process ends within this time. */
    public boolean endsWithin(Duration limit) throws InterruptedException {
        return process.waitFor(limit.toMillis(), java.util.concurrent.TimeUnit.MILLISECONDS);
    }

    public void kill() {
        process.destroyForcibly();
        awaitExit();
    }

    /** Sends SIGTERM, as an orchestrator does. A shutdown hook then closes the program. */
    public void terminate() {
        signal("TERM"); // Process.destroy() would also close the standard input, which ends the program at once
    }

    public void suspend() {
        signal("STOP");
        awaitFrozen();
    }

    public void resume() {
        signal("CONT");
    }

    public void awaitFrozen() {
        await("the process is frozen").atMost(PATIENCE).until(this::frozen);
    }

    /** Writes a line to the standard input. No-op if the process has ended. */
    public void tell(String line) {
        try {
            OutputStream input = process.getOutputStream();
            input.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            input.flush();
        } catch (IOException ended) {
            // the pipe breaks when the process has ended
        }
    }

    /** Whether each thread is stopped: after SIGSTOP, threads run on until one of them has received the signal. */
    private boolean frozen() throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(process.pid()), "task"))) {
            for (Path thread : threads.toList()) {
                String stat = Files.readString(thread.resolve("stat"));
                if (stat.charAt(stat.lastIndexOf(')') + 2) != 'T') {
                    return false;
                }
            }
        }
        return true;
    }

    private void signal(String signal) {
        try {
            new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid())
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot send SIG" + signal, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void read() {
        try (log;
                BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            String line = reader.readLine();
            while (line != null) {
                log.println(line);
                remember(line);
                line = reader.readLine();
            }
        } catch (IOException ended) {
            // the pipe breaks when the process is killed
        }
    }

    private void remember(String line) {
        synchronized (output) {
            output.add(line);
            if (output.size() > REMEMBERED) {
                output.subList(0, REMEMBERED / 2).clear();
            }
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
