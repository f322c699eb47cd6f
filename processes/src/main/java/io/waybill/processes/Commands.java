package io.waybill.processes;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.LoggerFactory;

/** Reads commands from the standard input. The program ends at the end of the input, so that it does not outlive its parent. */
public final class Commands {
    /** The system property of the log level of Waybill's loggers, for example WARN. */
    public static final String LOG_LEVEL = "waybill.log-level";

    private Commands() {}

    static void logAsAsked() {
        String level = System.getProperty(LOG_LEVEL);
        if (level != null && LoggerFactory.getLogger("io.waybill") instanceof Logger logger) {
            logger.setLevel(Level.toLevel(level));
        }
    }

    /** Executes lines such as {@code pool 1} until the input ends, then halts the JVM. */
    static void obey(Map<String, Consumer<String>> commands) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] words = line.split(" ", 2);
            Consumer<String> command = commands.get(words[0]);
            if (command != null) {
                command.accept(words.length == 1 ? "" : words[1]);
            }
        }
        Runtime.getRuntime().halt(1);
    }

    static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
