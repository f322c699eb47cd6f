package io.waybill.examples.logistics;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.testkit.servers.DebianPackage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Prometheus checks the alert rules for an outbox: each fires for its reason only. */
class AlertsTest {
    @Test
    void everyAlertFiresForItsReasonOnly(@TempDir Path folder) throws Exception {
        // An installation would start a server.
        Path promtool = DebianPackage.unpack("prometheus", Path.of("target", "prometheus"), "usr/bin/promtool");
        Files.copy(Path.of("../../monitoring/alerts/outbox.yml"), folder.resolve("outbox.yml"));
        Path test = Files.copy(Path.of("src/test/resources/outbox-alerts-test.yml"), folder.resolve("test.yml"));
        Process checking = new ProcessBuilder(promtool.toString(), "test", "rules", test.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(checking.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(checking.waitFor()).as(output).isZero();
    }
}
