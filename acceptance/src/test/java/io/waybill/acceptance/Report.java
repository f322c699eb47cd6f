package io.waybill.acceptance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Locale;

/** Prints a line for each scenario to the console and to {@code target/acceptance-report.txt}. */
public final class Report {
    private static final Path FILE = Path.of("target", "acceptance-report.txt");

    private Report() {}

    public static synchronized void line(String scenario, String numbers, Duration time) {
        String line = String.format(Locale.ROOT, "%-46s %s time=%.1fs", scenario, numbers, time.toMillis() / 1000.0);
        System.out.println("[acceptance] " + line);
        try {
            Files.writeString(FILE, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
