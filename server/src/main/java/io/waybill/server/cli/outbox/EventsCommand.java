package io.waybill.server.cli.outbox;

import io.waybill.admin.EventFilter;
import io.waybill.admin.EventRecord;
import io.waybill.admin.EventState;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.FilterOptions;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.cli.command.LimitOption;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@CommandLine.Command(
        name = "events",
        description =
                "List events, unsettled events first. `events show ID` shows one event with payload, headers and attempts.",
        subcommands = {EventShow.class, EventRepair.Retry.class, EventRepair.Skip.class},
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./waybill events --state pending --older-than 5m",
            "  ./waybill events --key 42 --json | jq -r .id",
            "  ./waybill events show 0190a3c2-7b1e-7cc0-8000-5f0f5a3c9d11"
        })
public final class EventsCommand extends Command {
    @Mixin
    private JsonOption json = new JsonOption();

    @Mixin
    private FilterOptions filter = new FilterOptions();

    @Option(
            names = "--state",
            paramLabel = "STATE",
            description = "Only events in this state: pending, claimed, published, parked, dead-letter, discarded.")
    private @Nullable String state;

    @Mixin
    private LimitOption limit = new LimitOption();

    @Override
    protected Set<String> settings() {
        return OUTBOX_SETTINGS;
    }

    @Override
    protected Exit run() {
        EventFilter wanted = state == null ? filter.filter() : filter.filter().state(state(state));
        List<EventRecord> events = tables().requireValid().outbox().view().events(wanted, limit.limit());
        EventList.print(events, json.wanted(), output(), width());
        if (events.size() == limit.limit() && !json.wanted()) {
            output().note("Showing the first " + limit.limit()
                    + " events. Use --limit to show more, or filters to show fewer.");
        }
        return Exit.OK;
    }

    private static EventState state(String text) {
        try {
            return EventState.valueOf(text.strip().toUpperCase(Locale.ROOT).replace('-', '_'));
        } catch (IllegalArgumentException e) {
            throw Problem.usage("Unknown state '" + text
                    + "'. States: pending, claimed, published, parked, dead-letter, discarded.");
        }
    }
}
