package io.waybill.server.cli.outbox;

import io.waybill.admin.DeadLetters.Decision;
import io.waybill.admin.DeadLetters;
import io.waybill.admin.EventState;
import io.waybill.admin.OutboxView;
import io.waybill.jdbc.JdbcEngine;
import io.waybill.server.cli.command.Arguments;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.FilterOptions;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.cli.command.ServerLookup;
import io.waybill.server.cli.command.TopicRule;
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

/** An operator's decision about dead letters: some by id, or all that match, at most a thousand at once. */
public abstract class DeadLetterDecision extends Command {
    @Mixin
    private JsonOption json = new JsonOption();

    @Mixin
    private FilterOptions filter = new FilterOptions();

    @Parameters(paramLabel = "ID", arity = "0..*", description = "Ids of dead letters.")
    private List<String> ids = new ArrayList<>();

    @Option(names = "--all", description = "All dead letters that match the filters, at most 1000 at once.")
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

    abstract List<UUID> decide(DeadLetters deadLetters, List<UUID> chosen, Decision decision);

    /** Refuses what this decision cannot be made with. */
    void refuseInput() {}

    /** What became of the events that were changed, if that is to be seen. */
    List<ReplayOutcome> await(OutboxView view, List<UUID> changed) {
        return List.of();
    }

    /** "replayed", "discarded". */
    abstract String done();

    @Override
    protected Set<String> settings() {
        return Set.of("database", "engine", "layout", "data-dir");
    }

    @Override
    protected Exit run() {
        check();
        Arguments.ids(ids);
        JdbcEngine outbox = tables().requireValid().outbox();
        DeadLetters deadLetters = outbox.deadLetters();
        List<UUID> chosen = all ? deadLetters.matching(filter.filter(), DeadLetters.LARGEST_BULK) : Arguments.ids(ids);
        refuseInput();
        List<UUID> changed;
        if (dryRun) {
            changed = all ? chosen : deadOnes(outbox.view(), chosen);
        } else if (chosen.isEmpty()) {
            changed = List.of();
        } else {
            changed = decide(deadLetters, chosen, new Decision(who(), reason == null ? "" : reason));
        }
        boolean failed = report(chosen, changed, dryRun ? List.of() : await(outbox.view(), changed));
        if (all && chosen.size() == DeadLetters.LARGEST_BULK) {
            output().note("At most " + DeadLetters.LARGEST_BULK + " at once: run it again for the rest.");
        }
        return chosen.size() != changed.size() ? Exit.NOT_FOUND : failed ? Exit.FAILED : Exit.OK;
    }

    private void check() {
        if (all == !ids.isEmpty()) {
            throw Problem.usage("Say which dead letters: ids, or --all with or without filters, but not both.");
        }
        if (!ids.isEmpty() && filter.given()) {
            throw Problem.usage("Filters go with --all, not with ids.");
        }
        if (ids.size() > DeadLetters.LARGEST_BULK) {
            throw Problem.usage(
                    "At most " + DeadLetters.LARGEST_BULK + " dead letters at once, not " + ids.size() + ".");
        }
        if (!dryRun && (reason == null || reason.isBlank())) {
            throw Problem.usage("--reason is missing: say why, it is kept in the audit table. (--dry-run needs none.)");
        }
    }

    private String who() {
        return actor == null || actor.isBlank() ? System.getProperty("user.name", "unknown") : actor;
    }

    private static List<UUID> deadOnes(OutboxView view, List<UUID> chosen) {
        return chosen.stream()
                .filter(id -> view.event(id)
                        .filter(event -> event.state() == EventState.DEAD_LETTER)
                        .isPresent())
                .toList();
    }

    /** @return whether an event failed again */
    private boolean report(List<UUID> chosen, List<UUID> changed, List<ReplayOutcome> outcomes) {
        boolean failed = outcomes.stream().anyMatch(ReplayOutcome::failed);
        List<UUID> others = new ArrayList<>(chosen);
        others.removeAll(new LinkedHashSet<>(changed));
        if (json.wanted()) {
            var result = Json.object().put("dryRun", dryRun).put("action", done());
            var changes = result.putArray("changed");
            changed.forEach(id -> changes.add(id.toString()));
            var rest = result.putArray("notDeadLetters");
            others.forEach(id -> rest.add(id.toString()));
            ReplayOutcome.add(outcomes, result);
            output().json(result);
            return failed;
        }
        if (dryRun) {
            changed.forEach(id -> output().line(id.toString()));
        }
        String verb = dryRun ? " would be " + done() + "." : " " + done() + ".";
        output().line(changed.size() + (changed.size() == 1 ? " dead letter" : " dead letters") + verb);
        ReplayOutcome.print(outcomes, output());
        others.forEach(id -> output().note("waybill: " + id + " is no dead letter; left as it is."));
        return failed;
    }

    @CommandLine.Command(
            name = "replay",
            description = {
                "Make dead letters pending again, with a fresh count of attempts, and tell what becomes of them.",
                "Later events of their keys may have been published meanwhile. Exits with 1 when one fails again."
            },
            footerHeading = "%nExamples:%n",
            footer = {
                "  ./waybill dead-letters replay 0190a3c2-7b1e-7cc0-8000-5f0f5a3c9d11 --reason 'topic exists now'",
                "  ./waybill dead-letters replay --all --type order.placed --dry-run",
                "  ./waybill dead-letters replay --all --topic order.placed --reason 'topic was misspelled'"
            })
    static final class Replay extends DeadLetterDecision {
        @Option(names = "--topic", paramLabel = "TOPIC", description = "Publish them to this topic instead of theirs.")
        private @Nullable String topic;

        @Option(names = "--no-wait", description = "Do not wait up to 10 seconds to tell what becomes of them.")
        private boolean noWait;

        @Override
        protected Set<String> settings() {
            return Set.of("database", "engine", "layout", "broker", "data-dir");
        }

        @Override
        void refuseInput() {
            if (topic != null) {
                TopicRule.of(new ServerLookup(configuration(), context())).check(topic);
            }
        }

        @Override
        List<UUID> decide(DeadLetters deadLetters, List<UUID> chosen, Decision decision) {
            return topic == null ? deadLetters.replay(chosen, decision) : deadLetters.replayTo(topic, chosen, decision);
        }

        @Override
        List<ReplayOutcome> await(OutboxView view, List<UUID> changed) {
            return noWait ? List.of() : ReplayOutcome.await(view, changed);
        }

        @Override
        String done() {
            return "replayed";
        }
    }

    @CommandLine.Command(
            name = "discard",
            description = "Drop dead letters for good; keys that they blocked go on.",
            footerHeading = "%nExample:%n",
            footer = {"  ./waybill dead-letters discard --all --older-than 30d --reason 'agreed in review'"})
    static final class Discard extends DeadLetterDecision {
        @Override
        List<UUID> decide(DeadLetters deadLetters, List<UUID> chosen, Decision decision) {
            return deadLetters.discard(chosen, decision);
        }

        @Override
        String done() {
            return "discarded";
        }
    }
}
