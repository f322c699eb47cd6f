package io.waybill.server.cli.inbox;

import io.waybill.admin.AuditEntry;
import io.waybill.inbox.DeadLetter;
import io.waybill.inbox.InboxDeadLetters;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.CommandGroup;
import io.waybill.server.cli.command.FilterOptions;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.cli.command.LimitOption;
import io.waybill.server.http.json.InboxJson;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

@CommandLine.Command(
        name = "dead-letters",
        description = "List, replay and discard events that a consumer group could not process.",
        synopsisSubcommandLabel = "list|show|replay|discard",
        subcommands = {
            InboxDeadLettersCommand.Listing.class,
            InboxDeadLettersCommand.Show.class,
            InboxDeadLetterDecision.Replay.class,
            InboxDeadLetterDecision.Discard.class
        })
final class InboxDeadLettersCommand extends CommandGroup {
    @CommandLine.Command(name = "list", description = "List dead letters of consumer groups, oldest first.")
    static final class Listing extends Command {
        @Mixin
        private JsonOption json = new JsonOption();

        @Mixin
        private FilterOptions filter = new FilterOptions();

        @Option(names = "--group", paramLabel = "NAME", description = "Only this consumer group.")
        private @Nullable String group;

        @Mixin
        private LimitOption limit = new LimitOption();

        @Override
        protected Set<String> settings() {
            return Set.of("database", "data-dir");
        }

        @Override
        protected Exit run() {
            List<DeadLetter> letters =
                    InboxAccess.open(database()).deadLetters().list(group, filter.filter(), limit.limit());
            if (letters.isEmpty() && !json.wanted()) {
                output().note("No dead letters" + (filter.given() || group != null ? " match." : "."));
                return Exit.OK;
            }
            InboxDeadLetterList.print(letters, json.wanted(), output(), width());
            return Exit.OK;
        }
    }

    @CommandLine.Command(name = "show", description = "Show one dead letter with its message, headers and history.")
    static final class Show extends Command {
        @Mixin
        private JsonOption json = new JsonOption();

        @Mixin
        private GroupOption group = new GroupOption();

        @Parameters(paramLabel = "ID", description = "Event id.")
        @SuppressWarnings("NullAway.Init")
        private UUID id;

        @Override
        protected Set<String> settings() {
            return Set.of("database", "data-dir");
        }

        @Override
        protected Exit run() {
            InboxDeadLetters letters = InboxAccess.open(database()).deadLetters();
            DeadLetter letter = letters.find(group.name(), id)
                    .orElseThrow(() -> new Problem(
                            Exit.NOT_FOUND,
                            "Group " + group.name() + " has no dead letter " + id
                                    + ". See `waybill inbox dead-letters list`."));
            List<AuditEntry> history = letters.history(group.name(), id);
            if (json.wanted()) {
                output().json(detailed(letter, history));
                return Exit.OK;
            }
            output().field("id", letter.eventId());
            output().field("group", letter.group());
            output().field("type", letter.eventType());
            output().field("key", letter.qualifiedKey());
            output().field("from", letter.message());
            output().field("attempts", letter.attempts());
            output().field("error", letter.error());
            output().field("error class", letter.errorClass());
            output().field("given up", letter.failedAt());
            letter.message().headers().forEach((name, value) -> output().field("header", name + ": " + value));
            for (AuditEntry action : history) {
                output().field(
                                "operator",
                                action.at() + " " + action.actor() + " " + action.action() + ": " + action.reason());
            }
            output().field("message", InboxJson.text(letter.message().value()));
            return Exit.OK;
        }
    }

    private static ObjectNode detailed(DeadLetter letter, List<AuditEntry> history) {
        ObjectNode json = InboxJson.withHeaders(letter, history);
        Json.payload(json, "originalEvent", InboxJson.text(letter.message().value()));
        return json;
    }
}
