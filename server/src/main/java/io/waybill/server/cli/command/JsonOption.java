package io.waybill.server.cli.command;

import picocli.CommandLine.Option;
import picocli.CommandLine;

/** {@code --json}, for every command that prints data. */
public final class JsonOption {
    @Option(names = "--json", description = "Print JSON, for scripts.")
    private boolean json;

    public boolean wanted() {
        return json;
    }

    /** Whether the command that ran was asked for JSON. */
    public static boolean wanted(CommandLine line) {
        return line.getParseResult() != null && line.getParseResult().hasMatchedOption("--json");
    }
}
