package io.waybill.embedded;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A program that does one thing and ends, such as {@code initdb}. */
final class Command {

    private Command() {}

    /**
     * Runs the program and returns when it has ended with status 0. Its output is appended to the log.
     *
     * @param purpose completes the sentence "Cannot …"
     * @throws LocalServerException when it ends with another status or does not end within the limit; it and its children
     *     are killed then
     */
    static void run(String purpose, ProcessBuilder program, Duration limit, Path log) throws IOException {
        Process process = program.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        boolean ended = false;
        try {
            ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LocalServerException("Interrupted while trying to " + purpose + ".", e);
        } finally {
            if (!ended) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        }
        if (!ended || process.exitValue() != 0) {
            String what = ended
                    ? " ended with status " + process.exitValue()
                    : " did not end within " + limit.toSeconds() + " seconds";
            throw new LocalServerException(
                    "Cannot " + purpose + ". The command " + program.command().get(0) + what + ". " + LogTail.of(log));
        }
    }
}
