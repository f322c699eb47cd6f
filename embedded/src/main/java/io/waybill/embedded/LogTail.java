package io.waybill.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The last lines of a server's log, for messages. */
final class LogTail {

    private static final int LINES = 20;

    private LogTail() {}

    static String of(Path log) {
        try {
            // ISO-8859-1 never fails, and a log that was cut by a crash may end inside a character.
            List<String> lines = Files.readAllLines(log, StandardCharsets.ISO_8859_1);
            List<String> last = lines.subList(Math.max(0, lines.size() - LINES), lines.size());
            return "The log " + log + " ends with:\n  " + String.join("\n  ", last);
        } catch (IOException unreadable) {
            return "There is no log at " + log + ".";
        }
    }
}
