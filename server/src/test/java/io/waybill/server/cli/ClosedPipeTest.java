package io.waybill.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.testkit.servers.SharedServers;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands without an end exit when their reader closes the pipe, as in {@code waybill tail … | head -1}. */
class ClosedPipeTest {
    @TempDir
    private Path folder;

    private final String database = SharedServers.freshDatabase();
    private final String broker = SharedServers.kafka().bootstrapServers();
    private Waybill waybill;

    @BeforeEach
    void applySchema() {
        waybill = new Waybill(folder).with("WAYBILL_DATABASE_URL", database).with("WAYBILL_BROKER_URL", broker);
        assertThat(waybill.run("schema", "apply").exit()).isZero();
    }

    @Test
    void statusExitsWhenItsReaderClosesThePipe() throws Exception {
        endsAfterOneLine(() -> {}, "status", "--watch", "--every", "100ms", "--database", database);
    }

    @Test
    void tailExitsWithTheNextRecordAfterItsReaderClosesThePipe() throws Exception {
        String topic = "pipe." + UUID.randomUUID();
        publish(topic);
        endsAfterOneLine(
                () -> publish(topic), "tail", "--topic", topic, "--from-beginning", "--json", "--broker", broker);
    }

    private void publish(String topic) {
        waybill.run("append", "--type", "t", "--aggregate-type", "T", "--key", "1", "--topic", topic);
        assertThat(waybill.run("relay", "--once").out()).contains("Published 1 event");
    }

    private void endsAfterOneLine(Runnable afterwards, String... args) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED", // as the launcher does: newer JVMs warn about compression
                // libraries
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                "io.waybill.server.Main"));
        command.addAll(List.of(args));
        Path errors = folder.resolve("errors");
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectError(Redirect.to(errors.toFile()))
                .start();
        try {
            try (BufferedReader reader = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
                assertThat(reader.readLine())
                        .as(() -> "first line; errors: " + read(errors))
                        .isNotEmpty();
            }
            afterwards.run();
            assertThat(process.waitFor(4, TimeUnit.MINUTES)).isTrue();
            assertThat(process.exitValue()).isZero();
            assertThat(errors).isEmptyFile();
        } finally {
            process.destroyForcibly();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
