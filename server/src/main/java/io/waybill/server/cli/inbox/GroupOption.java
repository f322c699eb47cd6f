package io.waybill.server.cli.inbox;

import picocli.CommandLine.Option;

/** {@code --group}, for commands about one consumer group. */
final class GroupOption {
    @Option(names = "--group", paramLabel = "NAME", required = true, description = "The consumer group.")
    @SuppressWarnings("NullAway.Init")
    private String name;

    String name() {
        return name;
    }
}
