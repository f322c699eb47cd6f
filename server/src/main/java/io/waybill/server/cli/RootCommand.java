package io.waybill.server.cli;

import io.waybill.server.cli.command.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine;

@CommandLine.Command(
        name = "waybill",
        mixinStandardHelpOptions = true,
        versionProvider = VersionCommand.class,
        header = "Your write and its event: together, or not at all.",
        synopsisSubcommandLabel = "COMMAND",
        commandListHeading = "%nCommands:%n",
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nExit codes:%n",
        footer = {
            "  0  done",
            "  1  failed, or found something unhealthy",
            "  2  wrong usage, configuration or input",
            "  3  database unreachable, or its schema or privileges are wrong",
            "  4  broker unreachable",
            "  5  no such thing",
            "  130  ended by Ctrl-C; up and relay end with 0 after the first",
            "",
            "Settings come from flags, then WAYBILL_… environment variables, then waybill.yaml; `waybill config` shows them.",
            "",
            "Examples:",
            "  ./waybill up                       run everything on this machine, servers included",
            "  ./waybill up --demo                the same with something to look at",
            "  ./waybill status --watch           what is pending, who relays it",
            "  ./waybill dead-letters list        what needs a person",
            "  ./waybill test                     every test of every module (in a clone)",
            "  ./waybill install                  the libraries into the local Maven repository (in a clone)",
            "  ./waybill bench                    the relay beside a bare loop (in a clone)",
            "  ./waybill chaos                    breaks everything and checks the promises (in a clone)",
            "  ./waybill example quality          a whole service to try out (in a clone)"
        })
final class RootCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "A command is missing");
    }
}
