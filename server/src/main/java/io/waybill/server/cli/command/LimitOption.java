package io.waybill.server.cli.command;

import io.waybill.server.problem.Problem;
import picocli.CommandLine.Option;

/** {@code --limit}, for commands that print lists. */
public final class LimitOption {
    private static final int LARGEST = 1_000;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "50",
            description = "Maximum number of rows, up to 1000 (default 50).")
    private int limit = 50;

    public int limit() {
        if (limit < 1 || limit > LARGEST) {
            throw Problem.usage("--limit must be from 1 to " + LARGEST + ", not " + limit + ".");
        }
        return limit;
    }
}
