package io.waybill.server.cli.command;

import io.waybill.admin.DeadLetters;
import io.waybill.admin.DeadLetters.Decision;
import io.waybill.admin.EventFilter;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

/** Replays or discards dead letters: those with the given ids, or all that match the filters, at most 1000 per run. */
public abstract class DeadLetterDecision extends Command {
    @Mixin
    private JsonOption json = new JsonOption();

    @Mixin
    private FilterOptions filter = new FilterOptions();

    @Parameters(paramLabel = "ID", arity = "0..*", description = "Event ids of the dead letters.")
    private List<String> ids = new ArrayList<>();

    @Option(names = "--all", description = "All dead letters that match the filters, up to 1000 per run.")
    private boolean all;

    @Option(names = "--dry-run", description = "Print what would change, and change nothing.")
    private boolean dryRun;

    @Mixin
    private DecisionOptions decision = new DecisionOptions();

    /** The dead letters of an outbox, or of one consumer group's inbox. */
    public interface Source {
        List<UUID> matching(EventFilter filter, int limit);

        boolean isDeadLetter(UUID id);

        /** Returns the ids of the dead letters that were changed. */
        List<UUID> decide(List<UUID> ids, Decision decision);
    }

    /** What happened to the events after the decision. */
    public interface Outcomes {
        /** No outcomes, for decisions that do not wait for the events. */
        Outcomes NONE = new Outcomes() {};

        default boolean failed() {
            return false;
        }

        default void addTo(ObjectNode json) {}

        default void print(Output output) {}
    }

    /** Connects, and throws a {@link Problem} for options that this decision cannot follow. */
    protected abstract Source open();

    /** The past participle for reports: "replayed", "discarded". */
    protected abstract String done();

    /** Waits for the events that were changed; by default not at all. In a dry run, {@code changed} is empty. */
    protected Outcomes await(List<UUID> changed) {
        return Outcomes.NONE;
    }

    /** The consumer group, for a decision about its inbox. */
    protected @Nullable String consumerGroup() {
        return null;
    }

    @Override
    protected final Exit run() {
        check();
        List<UUID> given = Arguments.ids(ids);
        Source letters = open();
        List<UUID> chosen = all ? letters.matching(filter.filter(), DeadLetters.LARGEST_BULK) : given;
        List<UUID> changed;
        if (dryRun) {
            changed = chosen.stream()
                    .filter(id -> all || letters.isDeadLetter(id))
                    .toList();
        } else if (chosen.isEmpty()) {
            changed = List.of();
        } else {
            changed = letters.decide(chosen, decision.decision());
        }
        Outcomes outcomes = await(dryRun ? List.of() : changed);
        report(chosen, changed, outcomes);
        if (all && chosen.size() == DeadLetters.LARGEST_BULK) {
            output().note("Stopped after " + DeadLetters.LARGEST_BULK
                    + " dead letters. Run the command again for more.");
        }
        return chosen.size() != changed.size() ? Exit.NOT_FOUND : outcomes.failed() ? Exit.FAILED : Exit.OK;
    }

    private void check() {
        if (all == !ids.isEmpty()) {
            throw Problem.usage("Pass the ids of dead letters, or --all with optional filters, but not both.");
        }
        if (!ids.isEmpty() && filter.given()) {
            throw Problem.usage("Filters apply to --all only, not to ids.");
        }
        if (ids.size() > DeadLetters.LARGEST_BULK) {
            throw Problem.usage(
                    "One run changes at most " + DeadLetters.LARGEST_BULK + " dead letters, not " + ids.size() + ".");
        }
        if (!dryRun) {
            decision.requireReason(" (--dry-run does not need a reason.)");
        }
    }

    private void report(List<UUID> chosen, List<UUID> changed, Outcomes outcomes) {
        List<UUID> others = new ArrayList<>(chosen);
        others.removeAll(new LinkedHashSet<>(changed));
        String group = consumerGroup();
        if (json.wanted()) {
            var result = Json.object().put("dryRun", dryRun).put("action", done());
            if (group != null) {
                result.put("group", group);
            }
            var changes = result.putArray("changed");
            changed.forEach(id -> changes.add(id.toString()));
            var unchanged = result.putArray("notDeadLetters");
            others.forEach(id -> unchanged.add(id.toString()));
            outcomes.addTo(result);
            output().json(result);
            return;
        }
        if (dryRun) {
            changed.forEach(id -> output().line(id.toString()));
        }
        String verb = dryRun ? " would be " + done() + "." : " " + done() + ".";
        output().line(changed.size() + (changed.size() == 1 ? " dead letter" : " dead letters") + verb);
        outcomes.print(output());
        String owner = group == null ? "" : " of group " + TerminalText.escape(group);
        others.forEach(id -> output().note("waybill: " + id + " is not a dead letter" + owner + "; not changed."));
    }
}
