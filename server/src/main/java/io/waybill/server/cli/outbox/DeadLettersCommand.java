package io.waybill.server.cli.outbox;

import io.waybill.admin.EventRecord;
import io.waybill.admin.EventState;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.CommandGroup;
import io.waybill.server.cli.command.FilterOptions;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.cli.command.LimitOption;
import io.waybill.server.problem.Exit;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;

@CommandLine.Command(
        name = "dead-letters",
        description = "List, replay and discard events that could not be delivered.",
        synopsisSubcommandLabel = "list|show|replay|discard",
        subcommands = {
            DeadLettersCommand.Listing.class,
            EventShow.OfDeadLetter.class,
            OutboxDeadLetterDecision.Replay.class,
            OutboxDeadLetterDecision.Discard.class
        })
public final class DeadLettersCommand extends CommandGroup {
    @CommandLine.Command(name = "list", description = "List dead letters, oldest first.")
    static final class Listing extends Command {
        @Mixin
        private JsonOption json = new JsonOption();

        @Mixin
        private FilterOptions filter = new FilterOptions();

        @Mixin
        private LimitOption limit = new LimitOption();

        @Override
        protected Set<String> settings() {
            return OUTBOX_SETTINGS;
        }

        @Override
        protected Exit run() {
            List<EventRecord> events = tables().requireValid()
                    .outbox()
                    .view()
                    .events(filter.filter().state(EventState.DEAD_LETTER), limit.limit());
            if (events.isEmpty() && !json.wanted()) {
                output().note("No dead letters" + (filter.given() ? " match." : "."));
                return Exit.OK;
            }
            EventList.print(events, json.wanted(), output(), width());
            return Exit.OK;
        }
    }
}
