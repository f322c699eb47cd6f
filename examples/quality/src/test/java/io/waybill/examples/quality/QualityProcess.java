package io.waybill.examples.quality;

import static org.awaitility.Awaitility.await;

import io.waybill.embedded.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The service in a JVM of its own, which tests kill and suspend. */
final class QualityProcess implements AutoCloseable {
    private final Process process;
    private final Api api;

    private QualityProcess(Process process, Api api) {
        this.process = process;
        this.api = api;
    }

    static QualityProcess start(String database, String... settings) {
        return start(FreePort.find(), database, settings);
    }

    /** Returns when it answers. */
    static QualityProcess start(int port, String database, String... settings) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                QualityApplication.class.getName()));
        command.addAll(Service.settings(database, port, settings));
        command.add("--springdoc.api-docs.enabled=false"); // half a second of each start
        try {
            Process process = new ProcessBuilder(command)
                    .inheritIO()
                    .redirectErrorStream(true)
                    .start();
            QualityProcess started = new QualityProcess(process, new Api(port));
            await().atMost(Duration.ofMinutes(4)).until(started::answers);
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean answers() {
        if (!process.isAlive()) {
            throw new IllegalStateException("The service ended by itself, with code " + process.exitValue() + ".");
        }
        try {
            return api.trySend(api.request("GET", "/health", null, null)).status() == 200;
        } catch (IOException notYet) {
            return false;
        }
    }

    Api api() {
        return api;
    }

    /** Kills the process, without a shutdown. */
    void kill() {
        process.destroyForcibly();
        try {
            process.waitFor(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void suspend() {
        signal("STOP");
    }

    void resume() {
        signal("CONT");
    }

    private void signal(String name) {
        try {
            new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        kill();
    }
}
