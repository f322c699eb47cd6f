package io.waybill.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The last lines of {@code ./waybill test}. */
class TestSummaryTest {
    private static final long BEGAN = 1_800_000_000;

    @TempDir
    private Path folder = Path.of(".");

    @Test
    void passedFailedAndSkippedTestsOfAllModulesAreCounted() throws IOException, InterruptedException {
        report("core", "A", BEGAN, """
                <testcase name="a" classname="io.A"/>
                <testcase name="b" classname="io.A"><system-out>text</system-out></testcase>
                <testcase name="c" classname="io.A"><failure message="expected: 1&#10;but was: 2" type="X">trace</failure></testcase>
                <testcase name="d" classname="io.A"><error type="io.Y">io.Y&#10;&#9;at io.A.d(A.java:1)</error></testcase>
                """);
        report("stores/jdbc", "B", BEGAN + 5, """
                <testcase name="a" classname="io.B"><skipped message="Assumption failed: no &lt;nats&gt;. Install it." type="T">x</skipped></testcase>
                <testcase name="b" classname="io.B"><skipped type="T">T: no &lt;nats&gt;. Install it.&#10;&#9;at io.B.b(B.java:1)</skipped></testcase>
                <testcase name="c" classname="io.B"><skipped/></testcase>
                """);
        report("inbox", "Old", BEGAN - 1, "<testcase name=\"old\" classname=\"io.Old\"/>");

        assertThat(summary(1))
                .containsExactly(
                        "",
                        "Failed:",
                        "  io.A.c: expected: 1",
                        "  io.A.d: io.Y",
                        "Skipped:",
                        "  2 because no <nats>. Install it.",
                        "  1 because no reason given",
                        "Tests: 2 passed, 2 failed, 3 skipped");
    }

    @Test
    void aRunWithoutFailuresSucceeds() throws IOException, InterruptedException {
        report("core", "A", BEGAN, "<testcase name=\"a\" classname=\"io.A\"/>");
        assertThat(summary(0)).containsExactly("", "Tests: 1 passed, 0 failed, 0 skipped");
    }

    @Test
    void aRunWithoutTestsFails() throws IOException, InterruptedException {
        assertThat(summary(1)).containsExactly("", "Tests: 0 passed, 0 failed, 0 skipped");
    }

    @Test
    void aReportThatEndsTooEarlyIsAFailure() throws IOException, InterruptedException {
        report("core", "A", BEGAN, "<testcase name=\"a\"");
        assertThat(summary(1)).contains("Tests: 0 passed, 1 failed, 0 skipped");
    }

    @Test
    void theCoverageOfAllModulesIsPrinted() throws IOException, InterruptedException {
        report("core", "A", BEGAN, "<testcase name=\"a\" classname=\"io.A\"/>");
        Path csv = folder.resolve("coverage/target/site/jacoco-aggregate/jacoco.csv");
        Files.createDirectories(csv.resolveSibling("."));
        Files.write(
                csv,
                List.of(
                        "GROUP,PACKAGE,CLASS,BRANCH_MISSED,BRANCH_COVERED,LINE_MISSED,LINE_COVERED",
                        "core,io.waybill,A,1,1,0,30",
                        "core,io.waybill,B,0,2,10,0"));
        Files.setLastModifiedTime(csv, time(BEGAN));
        assertThat(summary(0)).contains("Coverage: 75.0 % of lines, 75.0 % of branches");
    }

    private void report(String module, String name, long written, String cases) throws IOException {
        Path report = folder.resolve(module).resolve("target/surefire-reports/TEST-io." + name + ".xml");
        Files.createDirectories(report.resolveSibling("."));
        Files.writeString(report, "<?xml version=\"1.0\" encoding=\"UTF-8\"?><testsuite>" + cases + "</testsuite>");
        Files.setLastModifiedTime(report, time(written));
    }

    private static FileTime time(long second) {
        return FileTime.from(Instant.ofEpochSecond(second));
    }

    private List<String> summary(int exit) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        Path.of("..", "scripts", "TestSummary.java").toString(),
                        folder.toString(),
                        Long.toString(BEGAN))
                .redirectErrorStream(true)
                .start();
        List<String> lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertThat(process.waitFor()).as(String.join("\n", lines)).isEqualTo(exit);
        return lines;
    }
}
