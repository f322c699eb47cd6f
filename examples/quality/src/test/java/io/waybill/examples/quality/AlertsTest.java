package io.waybill.examples.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Prometheus itself says whether the rules are well-formed, and whether each goes off when it should and only then. */
class AlertsTest {
    @Test
    void everyAlertGoesOffForItsReasonAndNoneWithoutOne(@TempDir Path folder) throws Exception {
        Path promtool = Stream.of(Path.of("/usr/bin/promtool"), unpacked())
                .filter(Files::isExecutable)
                .findFirst()
                .orElseGet(AlertsTest::notRun);
        Files.copy(Path.of("alerts.yml"), folder.resolve("alerts.yml"));
        Path test = Files.copy(Path.of("src/test/resources/alerts/alerts-test.yml"), folder.resolve("test.yml"));
        Process checking = new ProcessBuilder(promtool.toString(), "test", "rules", test.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(checking.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(checking.waitFor()).as(said).isZero();
    }

    /** Debian's package, unpacked and not installed: an installation would start a server. */
    private static Path unpacked() throws IOException, InterruptedException {
        Path folder = Files.createDirectories(Path.of("target", "prometheus"));
        Path promtool = folder.resolve("usr/bin/promtool").toAbsolutePath();
        if (!Files.isExecutable(promtool)) {
            new ProcessBuilder("sh", "-c", "apt-get download prometheus && dpkg -x prometheus_*.deb .")
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor(2, TimeUnit.MINUTES);
        }
        return promtool;
    }

    private static Path notRun() {
        System.err.println("NOT RUN: there is no promtool, and it cannot be had. apt-get install prometheus");
        return abort("there is no promtool, and it cannot be had");
    }
}
