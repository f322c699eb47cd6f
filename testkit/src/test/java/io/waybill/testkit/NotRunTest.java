package io.waybill.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.testkit.servers.NotRun;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

class NotRunTest {
    @Test
    void aReasonIsPrintedOnceWithTheNumberOfTests() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Aborting.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output.lines().filter(line -> line.startsWith("NOT RUN")))
                .containsExactly(
                        "NOT RUN: 1 test or test class: a disk is missing. Run as root.",
                        "NOT RUN: 255 tests or test classes: nats-server is missing. Install it.");
    }

    /** A JVM in which many tests cannot run. */
    static final class Aborting {
        private Aborting() {}

        public static void main(String[] args) {
            for (int i = 0; i < 255; i++) {
                abort("nats-server is missing. Install it.");
            }
            abort("a disk is missing. Run as root.");
        }

        private static void abort(String reason) {
            try {
                throw NotRun.because(reason);
            } catch (TestAbortedException expected) {
                // as JUnit does
            }
        }
    }
}
