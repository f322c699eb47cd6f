package io.waybill.server.cli;

import java.io.PrintWriter;
import tools.jackson.databind.JsonNode;

/** Prints for people and for scripts. Everything passes through {@link Safe}. */
final class Output {
    private final CliContext surroundings;

    Output(CliContext surroundings) {
        this.surroundings = surroundings;
    }

    void line(String text) {
        out().println(text);
        out().flush();
    }

    void line() {
        line("");
    }

    /** One JSON document on one line. */
    void json(JsonNode node) {
        line(Safe.json(node.toString()));
    }

    void table(Table table) {
        table.lines(surroundings.colours()).forEach(this::line);
    }

    /** About the work, not its result: goes to standard error, so that a pipe does not carry it. */
    void note(String text) {
        surroundings.err().println(text);
        surroundings.err().flush();
    }

    /**
     * Whether nobody reads any more, such as after {@code | head -1}. A writer does not throw then, and the kernel tells only
     * who writes: a command that goes on for ever asks after everything it prints.
     */
    boolean closed() {
        return out().checkError();
    }

    boolean terminal() {
        return surroundings.terminal();
    }

    String bold(String text) {
        return surroundings.colours() ? "\u001b[1m" + text + "\u001b[0m" : text;
    }

    String green(String text) {
        return surroundings.colours() ? "\u001b[32m" + text + "\u001b[0m" : text;
    }

    String yellow(String text) {
        return surroundings.colours() ? "\u001b[33m" + text + "\u001b[0m" : text;
    }

    String red(String text) {
        return surroundings.colours() ? "\u001b[31m" + text + "\u001b[0m" : text;
    }

    private PrintWriter out() {
        return surroundings.out();
    }
}
