package io.waybill.server.cli;

import io.waybill.server.cli.command.Command;
import io.waybill.server.problem.Exit;
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
    protected Set<String> settings() {
        return Set.of();
    }

    @Override
    protected Exit run() {
        output().line(AutoComplete.bash("waybill", spec().root().commandLine()));
        return Exit.OK;
    }
}
