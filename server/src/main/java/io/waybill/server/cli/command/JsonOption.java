package io.waybill.server.cli.command;

import picocli.CommandLine;
import picocli.CommandLine.Option;

/** {@code --json}, for every command that prints data. */
public final class JsonOption {
    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    public boolean wanted() {
        return json;
    }

    /** Whether the command line contains {@code --json}. */
    public static boolean wanted(CommandLine line) {
        return line.getParseResult() != null && line.getParseResult().hasMatchedOption("--json");
    }
}
