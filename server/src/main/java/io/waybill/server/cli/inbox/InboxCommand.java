package io.waybill.server.cli.inbox;

import io.waybill.inbox.InboxStatus;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.CommandGroup;
import io.waybill.server.cli.command.Format;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.cli.command.Table;
import io.waybill.server.cli.command.TerminalText;
import io.waybill.server.http.json.InboxJson;
import io.waybill.server.problem.Exit;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@CommandLine.Command(
        name = "inbox",
        description = "Show consumer groups, and list, replay and discard their dead letters.",
        synopsisSubcommandLabel = "status|dead-letters|schema",
        subcommands = {InboxCommand.StatusOfGroups.class, InboxDeadLettersCommand.class, InboxSchemaCommand.class})
public final class InboxCommand extends CommandGroup {
    @CommandLine.Command(
            name = "status",
            description =
                    "Show each consumer group: events that wait for a retry, parked events, dead letters and pauses.")
    static final class StatusOfGroups extends Command {
        @Mixin
        private JsonOption json = new JsonOption();

        @Option(names = "--group", paramLabel = "NAME", description = "Only this consumer group.")
        private @Nullable String group;

        @Option(names = "--check", description = "Exit with 1 when a consumer is paused.")
        private boolean check;

        @Override
        protected Set<String> settings() {
            return Set.of("database", "data-dir");
        }

        @Override
        protected Exit run() {
            var view = InboxAccess.open(database()).view();
            List<InboxStatus> groups = group == null ? view.status() : List.of(view.status(group));
            Exit exit =
                    check && groups.stream().anyMatch(status -> status.pausedConsumers() > 0) ? Exit.FAILED : Exit.OK;
            if (json.wanted()) {
                groups.forEach(status -> output().json(InboxJson.status(status)));
                return exit;
            }
            if (groups.isEmpty()) {
                output().note("No consumer group has used this inbox yet.");
                return Exit.OK;
            }
            Table table = new Table(
                    "GROUP", "RETRYING", "PARKED", "DEAD LETTERS", "OLDEST", "LAST PROCESSED", "PAUSED SINCE");
            for (InboxStatus status : groups) {
                table.row(
                        TerminalText.cut(status.group(), 60),
                        Long.toString(status.retrying()),
                        Long.toString(status.parked()),
                        Long.toString(status.deadLetters()),
                        status.oldestAge().isZero() ? "-" : Format.age(status.oldestAge()),
                        status.lastProcessedAt() == null
                                ? "-"
                                : status.lastProcessedAt().toString(),
                        status.pausedSince() == null
                                ? "-"
                                : status.pausedSince().toString());
            }
            output().table(table);
            groups.stream().filter(status -> status.pausedConsumers() > 0).forEach(this::pause);
            return exit;
        }

        private void pause(InboxStatus status) {
            output().line("Group " + TerminalText.cut(status.group(), 60) + " is paused ("
                    + status.pausedConsumers() + (status.pausedConsumers() == 1 ? " consumer): " : " consumers): ")
                    + TerminalText.escape(String.valueOf(status.pauseReason()))
                    + " It tries one event at a time and resumes when one succeeds.");
        }
    }
}
