package io.waybill.chaos.process;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.LoggerFactory;

/** What a parent may tell a program on its standard input. The end of the input ends the program: no orphan stays. */
public final class Commands {
    /** A system property: the least that Waybill's own loggers say, WARN for instance. */
    public static final String LOG_LEVEL = "waybill.log-level";

    private Commands() {}

    static void logAsAsked() {
        String level = System.getProperty(LOG_LEVEL);
        if (level != null && LoggerFactory.getLogger("io.waybill") instanceof Logger logger) {
            logger.setLevel(Level.toLevel(level));
        }
    }

    /** Obeys lines such as {@code pool 1} until the input ends, and then halts. */
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
