package io.waybill.examples.polyshop.foreign;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A process that tests start, stop and kill. Its output goes to a file. */
public final class ServiceProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final Duration SHORT = Duration.ofSeconds(10);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final Process process;
    private final Path log;

    private ServiceProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    public static ServiceProcess start(Path folder, Path log, Map<String, String> environment, List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(environment);
        try {
            return new ServiceProcess(builder.start(), log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns when the service answers at this port. */
    public ServiceProcess awaitHealth(int port) {
        HttpRequest health = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/health"))
                .timeout(SHORT)
                .build();
        await().atMost(PATIENCE).until(() -> answers(health));
        return this;
    }

    private boolean answers(HttpRequest health) throws InterruptedException {
        requireAlive();
        try {
            return HTTP.send(health, HttpResponse.BodyHandlers.ofString()).statusCode() == 200;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Fails with the output of the process if it has ended. */
    public void requireAlive() {
        if (!process.isAlive()) {
            throw new AssertionError("The process ended with code " + process.exitValue() + ":\n" + output());
        }
    }

    /** Waits for the end of the process and returns its exit code. */
    public int exitCode() {
        try {
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("The process does not end:\n" + output());
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    public String output() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends the process with SIGKILL. */
    public void kill() {
        process.destroyForcibly();
        exitCode();
    }

    /** Ends the process with SIGTERM. */
    public void stop() {
        process.destroy();
        exitCode();
    }

    @Override
    public void close() {
        kill();
    }
}
