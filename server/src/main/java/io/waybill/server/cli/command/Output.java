package io.waybill.server.cli.command;

import java.io.PrintWriter;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/** Prints results to standard output and notes to standard error. Callers escape text from events and servers. */
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

    /** A name and its value, aligned with the fields before and after it. */
    public void field(String name, Object value) {
        line(String.format(Locale.ROOT, "%-14s", name) + TerminalText.escape(value.toString()));
    }

    public void table(Table table) {
        table.lines(context.colours()).forEach(this::line);
    }

    /** Prints a message that is not part of the result to standard error, so that pipes do not receive it. */
    public void note(String text) {
        context.err().println(text);
        context.err().flush();
    }

    /**
     * Whether the reader has closed the pipe, as {@code | head -1} does. A PrintWriter does not throw then, and the operating
     * system reports the closed pipe only on a write, so a command without an end calls this after each write.
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
