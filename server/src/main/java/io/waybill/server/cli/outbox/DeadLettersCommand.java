package io.waybill.server.cli.outbox;

import io.waybill.admin.EventRecord;
import io.waybill.admin.EventState;
import io.waybill.admin.OutboxView;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.CommandGroup;
import io.waybill.server.cli.command.FilterOptions;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.cli.command.LimitOption;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@CommandLine.Command(
        name = "dead-letters",
        description = "List, replay and discard events that could not be delivered.",
        synopsisSubcommandLabel = "list|show|replay|discard",
        subcommands = {
            DeadLettersCommand.Listing.class,
            DeadLettersCommand.Show.class,
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
            return Set.of("database", "engine", "layout", "data-dir");
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

    @CommandLine.Command(name = "show", description = "Show one dead letter with payload, headers and history.")
    static final class Show extends Command {
        @Mixin
        private JsonOption json = new JsonOption();

        @Parameters(paramLabel = "ID", description = "Event id.")
        @SuppressWarnings("NullAway.Init")
        private UUID id;

        @Override
        protected Set<String> settings() {
            return Set.of("database", "engine", "layout", "data-dir");
        }

        @Override
        protected Exit run() {
            OutboxView view = tables().requireValid().outbox().view();
            EventRecord entry = view.event(id)
                    .filter(event -> event.state() == EventState.DEAD_LETTER)
                    .orElseThrow(() -> new Problem(
                            Exit.NOT_FOUND,
                            "There is no dead letter " + id
                                    + ". See `waybill dead-letters list`, or `waybill events show`."));
            EventDetails.print(entry, view.history(id), json.wanted(), output());
            return Exit.OK;
        }
    }
}
