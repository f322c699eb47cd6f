package io.waybill.server.cli.inbox;

import io.waybill.server.cli.command.Format;
import io.waybill.admin.AuditEntry;
import io.waybill.inbox.DeadLetter;
import io.waybill.inbox.InboxDeadLetters;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.FilterOptions;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.cli.command.Table;
import io.waybill.server.cli.command.TerminalText;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine;

@CommandLine.Command(
        name = "dead-letters",
        description = "See and repair events that a consumer group has given up on.",
        synopsisSubcommandLabel = "list|show|replay|discard",
        subcommands = {
            InboxDeadLettersCommand.Listing.class,
            InboxDeadLettersCommand.Show.class,
            InboxDeadLetterDecision.Replay.class,
            InboxDeadLetterDecision.Discard.class
        })
final class InboxDeadLettersCommand extends Command {
    @Override
    protected Set<String> settings() {
        return Set.of();
    }

    @Override
    protected Exit run() {
        throw new ParameterException(
                spec().commandLine(), "Say what to do: inbox dead-letters list, show, replay or discard");
    }

    @CommandLine.Command(name = "list", description = "List dead letters of consumer groups, oldest first.")
    static final class Listing extends Command {
        @Mixin
        private JsonOption json = new JsonOption();

        @Mixin
        private FilterOptions filter = new FilterOptions();

        @Option(names = "--group", paramLabel = "NAME", description = "Only this consumer group.")
        private @Nullable String group;

        @Option(
                names = "--limit",
                paramLabel = "N",
                defaultValue = "50",
                description = "Most to list; 50, at most 1000.")
        private int limit = 50;

        @Override
        protected Set<String> settings() {
            return Set.of("database", "data-dir");
        }

        @Override
        protected Exit run() {
            if (limit < 1 || limit > InboxDeadLetters.LARGEST_BULK) {
                throw Problem.usage(
                        "--limit must be from 1 to " + InboxDeadLetters.LARGEST_BULK + ", not " + limit + ".");
            }
            List<DeadLetter> letters =
                    InboxAccess.open(database()).deadLetters().list(group, filter.filter(), limit);
            if (json.wanted()) {
                letters.forEach(letter -> output().json(InboxJson.letter(letter)));
                return Exit.OK;
            }
            if (letters.isEmpty()) {
                output().note("No dead letters" + (filter.given() || group != null ? " match." : "."));
                return Exit.OK;
            }
            Table table = new Table("ID", "GROUP", "TYPE", "KEY", "AGE", "ATTEMPTS", "ERROR");
            for (DeadLetter letter : letters) {
                Duration age = Duration.between(letter.failedAt(), Instant.now());
                table.row(
                        letter.eventId().toString(),
                        TerminalText.cut(letter.group(), 30),
                        TerminalText.cut(letter.eventType(), 40),
                        TerminalText.cut(String.valueOf(letter.message().key()), 40),
                        Format.age(age.isNegative() ? Duration.ZERO : age),
                        Integer.toString(letter.attempts()),
                        letter.error());
            }
            output().table(table.cutTo(width()));
            return Exit.OK;
        }
    }

    @CommandLine.Command(name = "show", description = "Show one dead letter with its message, headers and history.")
    static final class Show extends Command {
        @Mixin
        private JsonOption json = new JsonOption();

        @Option(names = "--group", paramLabel = "NAME", required = true, description = "The consumer group.")
        @SuppressWarnings("NullAway.Init")
        private String group;

        @Parameters(paramLabel = "ID", description = "The event's id.")
        @SuppressWarnings("NullAway.Init")
        private UUID id;

        @Override
        protected Set<String> settings() {
            return Set.of("database", "data-dir");
        }

        @Override
        protected Exit run() {
            InboxDeadLetters letters = InboxAccess.open(database()).deadLetters();
            DeadLetter letter = letters.find(group, id)
                    .orElseThrow(() -> new Problem(
                            Exit.NOT_FOUND,
                            "Group " + group + " has no dead letter " + id
                                    + ". See `waybill inbox dead-letters list`."));
            List<AuditEntry> history = letters.history(group, id);
            if (json.wanted()) {
                output().json(InboxJson.detailed(letter, history));
                return Exit.OK;
            }
            field("id", letter.eventId());
            field("group", letter.group());
            field("type", letter.eventType());
            field("entity", letter.entity());
            field("from", letter.message());
            field("attempts", letter.attempts());
            field("error", letter.error());
            field("error class", letter.errorClass());
            field("given up", letter.failedAt());
            letter.message().headers().forEach((name, value) -> field("header", name + ": " + value));
            for (AuditEntry action : history) {
                field("operator", action.at() + " " + action.actor() + " " + action.action() + ": " + action.reason());
            }
            field("message", InboxJson.text(letter.message().value()));
            return Exit.OK;
        }

        private void field(String name, Object value) {
            output().line(String.format(Locale.ROOT, "%-14s", name) + TerminalText.escape(value.toString()));
        }
    }
}
