package io.waybill.server.cli.inbox;

import io.waybill.admin.DeadLetters.Decision;
import io.waybill.inbox.DeadLetter;
import io.waybill.inbox.InboxDeadLetters;
import io.waybill.server.cli.command.Arguments;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.FilterOptions;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.cli.command.TerminalText;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine;

/** An operator's decision about dead letters of one group: some by id, or all that match, at most a thousand at once. */
abstract class InboxDeadLetterDecision extends Command {
    @Mixin
    private JsonOption json = new JsonOption();

    @Mixin
    private FilterOptions filter = new FilterOptions();

    @Option(names = "--group", paramLabel = "NAME", required = true, description = "The consumer group.")
    @SuppressWarnings("NullAway.Init")
    private String group;

    @Parameters(paramLabel = "ID", arity = "0..*", description = "Ids of events.")
    private List<String> ids = new ArrayList<>();

    @Option(names = "--all", description = "All dead letters of the group that match, at most 1000 at once.")
    private boolean all;

    @Option(names = "--dry-run", description = "Print what would be changed, and change nothing.")
    private boolean dryRun;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why; recorded in the audit table. Required.")
    private @Nullable String reason;

    @Option(
            names = "--actor",
            paramLabel = "NAME",
            description = "Who decides; the operating system's user by default.")
    private @Nullable String actor;

    abstract List<UUID> decide(InboxDeadLetters letters, String group, List<UUID> chosen, Decision decision);

    /** "replayed", "discarded". */
    abstract String done();

    @Override
    protected Set<String> settings() {
        return Set.of("database", "data-dir");
    }

    @Override
    protected Exit run() {
        check();
        InboxDeadLetters letters = InboxAccess.open(database()).deadLetters();
        List<UUID> chosen = all
                ? letters.list(group, filter.filter(), InboxDeadLetters.LARGEST_BULK).stream()
                        .map(DeadLetter::eventId)
                        .toList()
                : Arguments.ids(ids);
        List<UUID> changed = dryRun
                ? chosen.stream()
                        .filter(id -> all || letters.find(group, id).isPresent())
                        .toList()
                : chosen.isEmpty() ? List.of() : decide(letters, group, chosen, decision());
        report(chosen, changed);
        if (all && chosen.size() == InboxDeadLetters.LARGEST_BULK) {
            output().note("At most " + InboxDeadLetters.LARGEST_BULK + " at once: run it again for the rest.");
        }
        return chosen.size() == changed.size() ? Exit.OK : Exit.NOT_FOUND;
    }

    private void check() {
        if (all == !ids.isEmpty()) {
            throw Problem.usage("Say which dead letters: ids, or --all with or without filters, but not both.");
        }
        if (!ids.isEmpty() && filter.given()) {
            throw Problem.usage("Filters go with --all, not with ids.");
        }
        if (ids.size() > InboxDeadLetters.LARGEST_BULK) {
            throw Problem.usage(
                    "At most " + InboxDeadLetters.LARGEST_BULK + " dead letters at once, not " + ids.size() + ".");
        }
        if (!dryRun && (reason == null || reason.isBlank())) {
            throw Problem.usage("--reason is missing: say why, it is kept in the audit table. (--dry-run needs none.)");
        }
    }

    private Decision decision() {
        String who = actor == null || actor.isBlank() ? System.getProperty("user.name", "unknown") : actor;
        return new Decision(who, reason == null ? "" : reason);
    }

    private void report(List<UUID> chosen, List<UUID> changed) {
        List<UUID> others = new ArrayList<>(chosen);
        others.removeAll(new LinkedHashSet<>(changed));
        if (json.wanted()) {
            var result =
                    Json.object().put("dryRun", dryRun).put("action", done()).put("group", group);
            var changes = result.putArray("changed");
            changed.forEach(id -> changes.add(id.toString()));
            var rest = result.putArray("notDeadLetters");
            others.forEach(id -> rest.add(id.toString()));
            output().json(result);
            return;
        }
        if (dryRun) {
            changed.forEach(id -> output().line(id.toString()));
        }
        String verb = dryRun ? " would be " + done() + "." : " " + done() + ".";
        output().line(changed.size() + (changed.size() == 1 ? " dead letter" : " dead letters") + verb);
        others.forEach(id -> output().note(
                        "waybill: " + id + " is no dead letter of group " + TerminalText.escape(group) + "; left as it is."));
    }

    @CommandLine.Command(
            name = "replay",
            description = {
                "Give dead letters back to their group, with the same event ids and a fresh count of attempts.",
                "Its consumers apply them, without the broker; other groups are not touched."
            },
            footerHeading = "%nExample:%n",
            footer = {"  ./waybill inbox dead-letters replay --group stock --all --type order.placed --dry-run"})
    static final class Replay extends InboxDeadLetterDecision {
        @Override
        List<UUID> decide(InboxDeadLetters letters, String group, List<UUID> chosen, Decision decision) {
            return letters.replay(group, chosen, decision);
        }

        @Override
        String done() {
            return "replayed";
        }
    }

    @CommandLine.Command(name = "discard", description = "Drop dead letters of a group for good.")
    static final class Discard extends InboxDeadLetterDecision {
        @Override
        List<UUID> decide(InboxDeadLetters letters, String group, List<UUID> chosen, Decision decision) {
            return letters.discard(group, chosen, decision);
        }

        @Override
        String done() {
            return "discarded";
        }
    }
}
