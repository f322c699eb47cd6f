package io.waybill.server.cli;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

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
            "  5  event, dead letter or saga not found",
            "  130  ended by Ctrl-C; up and relay exit with 0 after the first Ctrl-C",
            "",
            "Flags override WAYBILL_… environment variables, which override waybill.yaml. `waybill config` shows all settings.",
            "",
            "Examples:",
            "  ./waybill up                       run a database, a broker and a relay on this machine",
            "  ./waybill up --demo                the same, with a demo that writes events",
            "  ./waybill status --watch           show pending events and relays",
            "  ./waybill dead-letters list        list the events that need a decision",
            "  ./waybill sagas list --stuck       list the sagas that need a decision",
            "  ./waybill test                     run all tests (in a clone)",
            "  ./waybill install                  install the libraries into the local Maven repository (in a clone)",
            "  ./waybill bench                    compare the relay with a bare loop (in a clone)",
            "  ./waybill chaos                    test the guarantees under faults (in a clone)",
            "  ./waybill example quality          run an example service (in a clone)"
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
