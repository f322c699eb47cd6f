package io.waybill.server.cli.saga;

import io.waybill.saga.picture.SagaOutline;
import io.waybill.saga.picture.SagaPicture;
import io.waybill.saga.picture.SagaPlan;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.cli.command.TerminalText;
import io.waybill.server.config.Durations;
import io.waybill.server.http.json.SagasJson;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@CommandLine.Command(
        name = "plan",
        description =
                "Dry run of a definition: what runs in parallel, how long it may take, and what is undone when a step"
                        + " fails. Reads the definition that an engine has stored.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./waybill sagas plan place-order",
            "  ./waybill sagas plan place-order@2 --picture > place-order.mmd"
        })
final class SagaPlanCommand extends Command {
    private static final Pattern REFERENCE = Pattern.compile("([^@]+)(?:@(\\d{1,9}))?");

    @Mixin
    private JsonOption json = new JsonOption();

    @Parameters(paramLabel = "NAME[@VERSION]", description = "Name of the definition (default version: the newest).")
    @SuppressWarnings("NullAway.Init")
    private String reference;

    @Option(names = "--picture", description = "Print only a Mermaid flowchart of the definition.")
    private boolean picture;

    @Override
    protected Set<String> settings() {
        return SagaAccess.SETTINGS;
    }

    @Override
    protected Exit run() {
        Matcher matcher = REFERENCE.matcher(reference);
        if (!matcher.matches()) {
            throw Problem.usage("'" + reference + "' is not NAME or NAME@VERSION, such as place-order@2.");
        }
        Integer version = matcher.group(2) == null ? null : Integer.valueOf(matcher.group(2));
        SagaOutline outline = SagaAccess.actions(database()).outline(matcher.group(1), version);
        if (picture) {
            output().line(SagaPicture.definition(outline).stripTrailing());
        } else if (json.wanted()) {
            output().json(SagasJson.plan(SagaPlan.of(outline)));
        } else {
            print(SagaPlan.of(outline));
        }
        return Exit.OK;
    }

    private void print(SagaPlan plan) {
        output().field(
                        "saga",
                        plan.outline().name() + " version " + plan.outline().version());
        output().field("kind", plan.outline().atomic() ? "atomic: one transaction" : "durable");
        for (int i = 0; i < plan.layers().size(); i++) {
            output().field("layer " + (i + 1), String.join(", ", plan.layers().get(i)));
        }
        output().field(
                        "critical path",
                        String.join(" → ", plan.criticalPath()) + " (" + Durations.print(plan.longest())
                                + " of time-outs, one attempt each)");
        output().field("pivot", plan.pivot() == null ? "none" : plan.pivot());
        output().line();
        for (SagaPlan.Failure failure : plan.failures()) {
            output().line(TerminalText.escape("When " + failure.step() + " fails: " + consequence(failure)));
        }
    }

    private static String consequence(SagaPlan.Failure failure) {
        return switch (failure.consequence()) {
            case ROLLBACK -> "the transaction is rolled back, and nothing remains.";
            case FORWARD_RECOVERY ->
                "the pivot has succeeded, so nothing is undone. The step is repeated until it succeeds or a person decides.";
            case COMPENSATION -> undone(failure);
        };
    }

    private static String undone(SagaPlan.Failure failure) {
        List<String> rounds = new ArrayList<>();
        for (List<String> round : failure.undone()) {
            rounds.add(String.join(" and ", round));
        }
        String text = rounds.isEmpty() ? "nothing is undone." : "undone are " + String.join(", then ", rounds) + ".";
        if (failure.undone().stream().anyMatch(round -> round.contains(failure.step()))) {
            text += " (" + failure.step() + " only if it is in doubt.)";
        }
        return failure.remaining().isEmpty()
                ? text
                : text + " The effect of " + String.join(", ", failure.remaining()) + " remains.";
    }
}
