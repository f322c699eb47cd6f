package io.waybill.server.cli.outbox;

import io.waybill.admin.ActionResult;
import io.waybill.admin.OutboxActions;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.DecisionOptions;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.problem.Exit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Actions on single events that are not dead letters, or that block their key. */
abstract class EventRepair extends Command {
    @Mixin
    JsonOption json = new JsonOption();

    @Mixin
    DecisionOptions decision = new DecisionOptions();

    @Override
    protected final Set<String> settings() {
        return OUTBOX_SETTINGS;
    }

    final OutboxActions actions() {
        return tables().requireValid().outbox().actions();
    }

    @CommandLine.Command(
            name = "retry",
            description = "Retry events now that wait for a retry. Their attempts stay counted.",
            footerHeading = "%nExample:%n",
            footer = {"  ./waybill events retry 0190a3c2-7b1e-7cc0-8000-5f0f5a3c9d11 --reason 'broker was restarted'"})
    static final class Retry extends EventRepair {
        @Parameters(paramLabel = "ID", arity = "1..*", description = "Event ids, up to 1000.")
        private List<UUID> ids = new ArrayList<>();

        @Override
        protected Exit run() {
            ActionResult result = actions().retryNow(ids, ActionOutput.action(decision.decision()));
            ActionOutput.print("retry", result, result.events().size() + " due now.", json.wanted(), output());
            return result.events().isEmpty() ? Exit.FAILED : Exit.OK;
        }
    }

    @CommandLine.Command(
            name = "skip",
            description = {
                "Discard the first open event of a key, so that the key continues with its next event.",
                "The event waits for a retry, or is a dead letter that blocks its key."
            },
            footerHeading = "%nExample:%n",
            footer = {"  ./waybill events skip 0190a3c2-7b1e-7cc0-8000-5f0f5a3c9d11 --reason 'replaced by hand'"})
    static final class Skip extends EventRepair {
        @Parameters(paramLabel = "ID", description = "Event id.")
        @SuppressWarnings("NullAway.Init")
        private UUID id;

        @Override
        protected Exit run() {
            ActionResult result = actions().skip(id, ActionOutput.action(decision.decision()));
            ActionOutput.print("skip", result, "Skipped event " + id + ".", json.wanted(), output());
            return Exit.OK;
        }
    }
}
