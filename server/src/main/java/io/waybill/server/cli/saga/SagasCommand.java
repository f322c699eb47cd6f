package io.waybill.server.cli.saga;

import io.waybill.server.cli.command.CommandGroup;
import picocli.CommandLine;

@CommandLine.Command(
        name = "sagas",
        description = "List sagas, show what happened to one, and decide about steps that wait for a person.",
        synopsisSubcommandLabel = "list|show|stats|retry|skip|resolve|refuse|cancel|plan|prune|schema",
        subcommands = {
            SagaList.class,
            SagaShow.class,
            SagaStats.class,
            SagaRetry.class,
            SagaAction.Skip.class,
            SagaAction.Resolve.class,
            SagaAction.Refuse.class,
            SagaAction.Cancel.class,
            SagaAction.Compensate.class,
            SagaPlanCommand.class,
            SagaPrune.class,
            SagaSchemaCommand.class
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./waybill sagas list --stuck",
            "  ./waybill sagas show place-order/order-42",
            "  ./waybill sagas retry place-order/order-42 --reason 'the warehouse is up again'"
        })
public final class SagasCommand extends CommandGroup {}
