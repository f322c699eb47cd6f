package io.waybill.server.cli.command;

import java.io.InputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/**
 * What a command sees of the world, so that a test can show it another one.
 *
 * @param home the folder that holds {@code .waybill}: the clone when started by its script, else the working folder
 * @param terminal whether a person watches; the launcher script knows, Java has no way that means the same on 17 and 25
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
