package io.waybill.acceptance;

import static org.awaitility.Awaitility.await;

import io.waybill.jdbc.Engine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A relay, or another program of these tests, in a JVM of its own that can be killed, frozen and terminated. */
final class RelayProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Process process;
    private final List<String> output = new CopyOnWriteArrayList<>();

    private RelayProcess(Process process) {
        this.process = process;
        Thread reader = new Thread(this::read, "relay-process-" + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /** @param options of its JVM */
    static RelayProcess start(Engine engine, Servers servers, String relay, Duration lease, List<String> options) {
        return run(
                RelayProgram.class,
                options,
                servers.jdbcUrl(),
                servers.bootstrapServers(),
                relay,
                lease.toString(),
                engine.name());
    }

    /** Runs any program of these tests, with these options for its JVM. */
    static RelayProcess run(Class<?> main, List<String> options, String... arguments) {
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
            return new RelayProcess(builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot start a JVM for " + main.getSimpleName(), e);
        }
    }

    RelayProcess awaitStarted() {
        return awaitOutput("started");
    }

    /** Waits until it has printed a line that begins like this. */
    RelayProcess awaitOutput(String line) {
        await("the relay process says '" + line + "', not only " + output)
                .atMost(PATIENCE)
                .until(() -> output.stream().anyMatch(said -> said.startsWith(line)));
        return this;
    }

    List<String> output() {
        return List.copyOf(output);
    }

    boolean hasEnded() {
        return !process.isAlive();
    }

    int awaitExit() {
        await("the relay process ends").atMost(PATIENCE).until(() -> !process.isAlive());
        return process.exitValue();
    }

    void kill() {
        process.destroyForcibly();
        awaitExit();
    }

    /** SIGTERM, as an orchestrator sends it; its shutdown hook closes the relay. */
    void terminate() {
        signal("TERM"); // Process.destroy() would close its input as well, which ends it at once
    }

    void suspend() {
        signal("STOP");
        awaitFrozen();
    }

    void resume() {
        signal("CONT");
    }

    void awaitFrozen() {
        await("the relay process is frozen").atMost(PATIENCE).until(this::frozen);
    }

    private boolean frozen() throws IOException {
        String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
        return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
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
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            String line = reader.readLine();
            while (line != null) {
                output.add(line);
                line = reader.readLine();
            }
        } catch (IOException ended) {
            // the pipe breaks when the process is killed
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
