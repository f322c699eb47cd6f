package io.waybill.server.cli;

import picocli.CommandLine;
import picocli.CommandLine.Option;

/** {@code --json}, for every command that prints data. */
final class JsonOption {
    @Option(names = "--json", description = "Print JSON, for scripts.")
    private boolean json;

    boolean wanted() {
        return json;
    }

    /** Whether the command that ran was asked for JSON. */
    static boolean wanted(CommandLine line) {
        return line.getParseResult() != null && line.getParseResult().hasMatchedOption("--json");
    }
}
