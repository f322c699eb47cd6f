package io.waybill.server.cli.command;

import io.waybill.server.problem.Exit;
import java.util.Set;
import picocli.CommandLine.ParameterException;

/** A command that only holds subcommands. */
public abstract class CommandGroup extends Command {
    @Override
    protected final Set<String> settings() {
        return Set.of();
    }

    @Override
    protected final Exit run() {
        throw new ParameterException(
                spec().commandLine(),
                spec().name() + " needs a subcommand: "
                        + String.join(", ", spec().subcommands().keySet()));
    }
}
