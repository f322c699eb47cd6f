package io.waybill.server.cli.outbox;

import io.waybill.admin.EventRecord;
import io.waybill.admin.EventState;
import io.waybill.admin.OutboxView;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.FilterOptions;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine;

@CommandLine.Command(
        name = "dead-letters",
        description = "See and repair events that were given up on.",
        synopsisSubcommandLabel = "list|show|replay|discard",
        subcommands = {
            DeadLettersCommand.Listing.class,
            DeadLettersCommand.Show.class,
            DeadLetterDecision.Replay.class,
            DeadLetterDecision.Discard.class
        })
public final class DeadLettersCommand extends Command {
    @Override
    protected Set<String> settings() {
        return Set.of();
    }

    @Override
    protected Exit run() {
        throw new ParameterException(
                spec().commandLine(), "Say what to do: dead-letters list, show, replay or discard");
    }

    @CommandLine.Command(name = "list", description = "List dead letters, oldest first.")
    static final class Listing extends Command {
        @Mixin
        private JsonOption json = new JsonOption();

        @Mixin
        private FilterOptions filter = new FilterOptions();

        @Option(
                names = "--limit",
                paramLabel = "N",
                defaultValue = "50",
                description = "Most to list; 50, at most 1000.")
        private int limit = 50;

        @Override
        protected Set<String> settings() {
            return Set.of("database", "engine", "layout", "data-dir");
        }

        @Override
        protected Exit run() {
            if (limit < 1 || limit > OutboxView.LARGEST_PAGE) {
                throw Problem.usage("--limit must be from 1 to " + OutboxView.LARGEST_PAGE + ", not " + limit + ".");
            }
            List<EventRecord> events =
                    tables().requireValid().outbox().view().events(filter.filter().state(EventState.DEAD_LETTER), limit);
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

        @Parameters(paramLabel = "ID", description = "The event's id.")
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
