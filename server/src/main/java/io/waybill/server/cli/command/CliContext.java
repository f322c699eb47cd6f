package io.waybill.server.cli.command;

import java.io.InputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/**
 * The environment of a command: variables, folders and streams. Tests replace it.
 *
 * @param home the parent folder of {@code .waybill}: the clone when started by its script, otherwise the working folder
 * @param terminal whether the output is a terminal. The launcher script detects it, because JDK 17 and 25 do so differently
 */
public record CliContext(
        Map<String, String> environment,
        Path workingFolder,
        Path home,
        InputStream in,
        PrintWriter out,
        PrintWriter err,
        boolean terminal) {

    public static CliContext ofThisProcess() {
        Path folder = Path.of("").toAbsolutePath();
        String home = System.getProperty("waybill.home");
        return new CliContext(
                System.getenv(),
                folder,
                home == null ? folder : Path.of(home),
                System.in,
                utf8(System.out),
                utf8(System.err),
                Boolean.getBoolean("waybill.terminal"));
    }

    private static PrintWriter utf8(PrintStream stream) {
        return new PrintWriter(stream, false, StandardCharsets.UTF_8);
    }

    public boolean colours() {
        return terminal && environment.getOrDefault("NO_COLOR", "").isEmpty();
    }
}
