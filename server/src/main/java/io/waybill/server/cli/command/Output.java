package io.waybill.server.cli.command;

import java.io.PrintWriter;
import tools.jackson.databind.JsonNode;

/** Prints for people and for scripts. Everything passes through {@link TerminalText}. */
public final class Output {
    private final CliContext context;

    public Output(CliContext context) {
        this.context = context;
    }

    public void line(String text) {
        out().println(text);
        out().flush();
    }

    public void line() {
        line("");
    }

    /** One JSON document on one line. */
    public void json(JsonNode node) {
        line(TerminalText.escapeJson(node.toString()));
    }

    public void table(Table table) {
        table.lines(context.colours()).forEach(this::line);
    }

    /** About the work, not its result: goes to standard error, so that a pipe does not carry it. */
    public void note(String text) {
        context.err().println(text);
        context.err().flush();
    }

    /**
     * Whether nobody reads any more, such as after {@code | head -1}. A writer does not throw then, and the kernel tells only
     * who writes: a command that goes on for ever asks after everything it prints.
     */
    public boolean closed() {
        return out().checkError();
    }

    public boolean terminal() {
        return context.terminal();
    }

    public String bold(String text) {
        return context.colours() ? "\u001b[1m" + text + "\u001b[0m" : text;
    }

    public String green(String text) {
        return context.colours() ? "\u001b[32m" + text + "\u001b[0m" : text;
    }

    public String yellow(String text) {
        return context.colours() ? "\u001b[33m" + text + "\u001b[0m" : text;
    }

    public String red(String text) {
        return context.colours() ? "\u001b[31m" + text + "\u001b[0m" : text;
    }

    private PrintWriter out() {
        return context.out();
    }
}
