package io.waybill.server.cli.saga;

import io.waybill.admin.DeadLetters.Decision;
import io.waybill.saga.admin.SagaActions;
import io.waybill.saga.admin.SagaFilter;
import io.waybill.saga.admin.SagaRequest;
import io.waybill.saga.admin.StuckStep;
import io.waybill.saga.store.SagaSignal.Kind;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.DecisionOptions;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.cli.command.TerminalText;
import io.waybill.server.http.json.SagasJson;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@CommandLine.Command(
        name = "retry",
        description = {
            "Retry steps or compensations that wait for a person, with all attempts: of one saga, or of all that match.",
            "Exits with 1 if an engine refuses a request."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./waybill sagas retry place-order/order-42 --reason 'the warehouse is up again'",
            "  ./waybill sagas retry --all --saga place-order --step plan-delivery --dry-run",
        })
final class SagaRetry extends Command {
    @Mixin
    private JsonOption json = new JsonOption();

    @Mixin
    private SagaFilterOptions filter = new SagaFilterOptions();

    @Parameters(paramLabel = "SAGA", arity = "0..1", description = SagaShow.REFERENCE)
    private @Nullable String reference;

    @Option(names = "--all", description = "All sagas that match the filters, up to 1000 per run.")
    private boolean all;

    @Option(names = "--dry-run", description = "Print what would be retried, and change nothing.")
    private boolean dryRun;

    @Mixin
    private DecisionOptions decision = new DecisionOptions();

    @Mixin
    private AwaitedRequests requests = new AwaitedRequests();

    @Override
    protected Set<String> settings() {
        return SagaAccess.SETTINGS;
    }

    @Override
    protected Exit run() {
        if (all == (reference != null)) {
            throw Problem.usage("Pass a saga, or --all with optional filters, but not both.");
        }
        if (!all && (filter.givenBesidesStep() || dryRun)) {
            throw Problem.usage("Filters and --dry-run apply to --all only, not to one saga.");
        }
        if (!dryRun) {
            decision.requireReason(" (--dry-run does not need a reason.)");
        }
        return reference == null
                ? SagaAccess.pooled(database(), this::matching)
                : one(SagaAccess.actions(database()), reference);
    }

    private Exit one(SagaActions actions, String saga) {
        Decision by = decision.decision();
        SagaRequest request =
                actions.request(actions.find(saga), Kind.RETRY, filter.step(), null, by.actor(), by.reason());
        return requests.print(actions, List.of(request), json.wanted(), output());
    }

    private Exit matching(SagaActions actions) {
        List<StuckStep> steps = actions.stuckSteps(filter.filter(SagaFilter.MOST));
        if (dryRun) {
            dryRun(steps);
            return Exit.OK;
        }
        if (steps.isEmpty()) {
            output().note("No step waits for a person in a saga that matches.");
            return Exit.OK;
        }
        Decision by = decision.decision();
        List<SagaRequest> posted = actions.retry(steps, by.actor(), by.reason());
        if (!json.wanted()) {
            output().line("Requested a retry of " + posted.size() + (posted.size() == 1 ? " step." : " steps."));
        }
        Exit exit = requests.print(actions, posted, json.wanted(), output());
        if (steps.size() >= SagaFilter.MOST) {
            output().note("Stopped after " + SagaFilter.MOST + " sagas. Run the command again for more.");
        }
        return exit;
    }

    private void dryRun(List<StuckStep> steps) {
        for (StuckStep step : steps) {
            if (json.wanted()) {
                output().json(SagasJson.stuckStep(step));
            } else {
                output().line(step.saga() + "  " + TerminalText.escape(step.name() + "/" + step.businessKey()) + "  "
                        + step.step());
            }
        }
        if (!json.wanted()) {
            output().line(steps.size() + (steps.size() == 1 ? " step" : " steps") + " would be retried.");
        }
    }
}
