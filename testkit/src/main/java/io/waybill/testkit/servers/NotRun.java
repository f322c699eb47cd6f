package io.waybill.testkit.servers;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Tests that this machine cannot run. Each test is aborted. When the JVM ends, each reason is printed once, with the number of
 * tests.
 */
public final class NotRun {
    private static final Map<String, Long> TESTS = new ConcurrentSkipListMap<>();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(NotRun::print, "not-run"));
    }

    private NotRun() {}

    /**
     * Aborts the running test, or all tests of the class that is being prepared.
     *
     * @param reason names the missing thing and the remedy
     * @return never; declared so that callers can throw it
     */
    public static IllegalStateException because(String reason) {
        TESTS.merge(reason, 1L, Long::sum);
        return abort(reason);
    }

    /** Prints to the standard error of the process: the test runner has replaced System.err and no longer reads it now. */
    private static void print() {
        PrintStream error = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
        TESTS.forEach((reason, count) -> error.println(
                "NOT RUN: " + count + (count == 1 ? " test or test class: " : " tests or test classes: ") + reason));
    }
}
