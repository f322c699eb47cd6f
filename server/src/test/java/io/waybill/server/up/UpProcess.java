package io.waybill.server.up;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** Runs the program in its own process and folder. */
public final class UpProcess implements AutoCloseable {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final Path folder;
    private final Process process;
    private final Path log;

    private UpProcess(Path folder, Process process, Path log) {
        this.folder = folder;
        this.process = process;
        this.log = log;
    }

    public static UpProcess launch(Path folder, String... args) throws IOException {
        return launch(folder, Map.of(), args);
    }

    public static UpProcess launch(Path folder, Map<String, String> environment, String... args) throws IOException {
        // A shell starts background jobs with SIGINT ignored, which a JVM inherits. The tests may run in such a job.
        List<String> command = new ArrayList<>(List.of(
                "env",
                "--default-signal=INT",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1", // a test starts dozens of these, for a second or two
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                "io.waybill.server.Main"));
        command.addAll(List.of(args));
        Path log = Files.createTempFile(folder, "out", ".log");
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().putAll(environment);
        Process process =
                builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
        return new UpProcess(folder, process, log);
    }

    UpProcess awaitUp() {
        return awaitOutput("Press Ctrl-C to stop");
    }

    public UpProcess awaitOutput(String text) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(4))
                .pollInterval(Duration.ofMillis(100))
                .failFast(() -> assertThat(process.isAlive()).as(this::output).isTrue())
                .until(() -> output().contains(text));
        return this;
    }

    public String output() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return e.toString();
        }
    }

    RunFile.Running running() {
        return new RunFile(folder.resolve(".waybill/data")).running().orElseThrow();
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return CLIENT.send(
                HttpRequest.newBuilder(URI.create(running().http() + path)).build(), BodyHandlers.ofString());
    }

    /** PostgreSQL's main process. */
    ProcessHandle postmaster() throws IOException {
        Path file = folder.resolve(".waybill/data/postgres/data/postmaster.pid");
        return ProcessHandle.of(Long.parseLong(Files.readAllLines(file).get(0).strip()))
                .orElseThrow();
    }

    /** All processes of the program: itself, Kafka and PostgreSQL. */
    List<ProcessHandle> family() throws IOException {
        ProcessHandle postmaster = postmaster();
        return Stream.of(
                        Stream.of(process.toHandle()),
                        process.descendants(),
                        Stream.of(postmaster),
                        postmaster.descendants())
                .flatMap(handles -> handles)
                .distinct()
                .toList();
    }

    public static void signal(String name, ProcessHandle... handles) throws IOException, InterruptedException {
        for (ProcessHandle handle : handles) {
            new ProcessBuilder("kill", "-" + name, Long.toString(handle.pid()))
                    .start()
                    .waitFor();
        }
    }

    /** Sends SIGTERM and returns the exit code. */
    public int terminate() throws InterruptedException {
        process.destroy();
        assertThat(process.waitFor(4, TimeUnit.MINUTES)).as(this::output).isTrue();
        return process.exitValue();
    }

    int awaitExit() throws InterruptedException {
        assertThat(process.waitFor(4, TimeUnit.MINUTES)).as(this::output).isTrue();
        return process.exitValue();
    }

    ProcessHandle handle() {
        return process.toHandle();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(4, TimeUnit.MINUTES)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
