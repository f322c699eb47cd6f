package io.waybill.server.cli;

import io.waybill.server.Exit;
import java.util.Set;
import picocli.AutoComplete;
import picocli.CommandLine;

@CommandLine.Command(
        name = "completion",
        description = "Print a completion script for bash and zsh.",
        footerHeading = "%nExample:%n",
        footer = {"  source <(./waybill completion)"})
final class CompletionCommand extends Command {
    @Override
    Set<String> settings() {
        return Set.of();
    }

    @Override
    Exit run() {
        output().line(AutoComplete.bash("waybill", spec().root().commandLine()));
        return Exit.OK;
    }
}
