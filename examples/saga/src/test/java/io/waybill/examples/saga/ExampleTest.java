package io.waybill.examples.saga;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExampleTest {
    @Test
    void aSignalInTheMiddleStopsItsPostgres(@TempDir Path folder) throws Exception {
        Path running = folder.resolve("postgres/data/postmaster.pid");
        Process example = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Example.class.getName(),
                        "--data",
                        folder.toString())
                .redirectErrorStream(true)
                .start();
        try (BufferedReader output = example.inputReader()) {
            String line = output.readLine();
            while (line != null && !line.startsWith("Started.")) {
                line = output.readLine();
            }
            assertThat(line).as("the line after the start").isNotNull();
            ProcessHandle postgres = ProcessHandle.of(
                            Long.parseLong(Files.readAllLines(running).get(0).strip()))
                    .orElseThrow();
            try {
                example.toHandle().destroy(); // SIGTERM; Process.destroy would also close the output

                assertThat(output.lines()).noneMatch(text -> text.contains("Exception"));
                assertThat(example.waitFor(1, TimeUnit.MINUTES)).isTrue();
                assertThat(running).doesNotExist();
            } finally {
                postgres.destroy();
            }
        } finally {
            example.destroyForcibly();
        }
    }
}
