package io.waybill.server.cli.saga;

import io.waybill.saga.admin.RequestOutcome;
import io.waybill.saga.admin.SagaActions;
import io.waybill.saga.admin.SagaRequest;
import io.waybill.server.cli.command.Output;
import io.waybill.server.cli.command.TerminalText;
import io.waybill.server.http.json.SagasJson;
import io.waybill.server.problem.Exit;
import io.waybill.time.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Option;

/** Waits until engines have applied requests, and prints the outcomes. */
final class AwaitedRequests {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    /** The number of polls between two progress reports: about a second. */
    private static final int PATIENCE = 10;

    private static final int SHOWN = 20;

    @Option(names = "--no-wait", description = "Return at once, without waiting up to 10 seconds for an engine.")
    private boolean noWait;

    Exit print(SagaActions actions, List<SagaRequest> requests, boolean json, Output output) {
        int[] looks = {0};
        List<RequestOutcome> outcomes = actions.await(requests, noWait ? Duration.ZERO : LIMIT, Ticker.SYSTEM, open -> {
            if (++looks[0] % PATIENCE == 0 && open > 0) {
                output.note("Waiting for an engine: " + open + " of " + requests.size() + " requests are pending.");
            }
        });
        if (json) {
            outcomes.forEach(outcome -> output.json(SagasJson.outcome(outcome)));
        } else if (outcomes.size() == 1) {
            one(actions, outcomes.get(0), output);
        } else {
            many(outcomes, output);
        }
        return outcomes.stream().anyMatch(outcome -> outcome.state() == RequestOutcome.State.REFUSED)
                ? Exit.FAILED
                : Exit.OK;
    }

    private static void one(SagaActions actions, RequestOutcome outcome, Output output) {
        String action = outcome.request().action().name().toLowerCase(Locale.ROOT)
                + (outcome.request().step() == null
                        ? ""
                        : " of step " + outcome.request().step());
        switch (outcome.state()) {
            case DONE -> {
                String state = actions.view()
                        .find(outcome.request().saga())
                        .map(SagaList::state)
                        .orElse("unknown");
                output.line("Done: " + action + ". The saga is " + state + ".");
            }
            case REFUSED ->
                output.line("The engine refused the request (" + action + "): " + TerminalText.escape(outcome.detail())
                        + ".");
            case PENDING -> output.line(later(outcome.request(), action));
        }
    }

    private static String later(SagaRequest request, String action) {
        return "The request (" + action + ") is stored, but no engine has applied it yet. The first engine that has the"
                + " saga's definition and version applies it. See `waybill sagas show " + request.saga() + "`.";
    }

    private static void many(List<RequestOutcome> outcomes, Output output) {
        output.line(count(outcomes, RequestOutcome.State.DONE) + " requests applied.");
        List<RequestOutcome> refused = outcomes.stream()
                .filter(outcome -> outcome.state() == RequestOutcome.State.REFUSED)
                .toList();
        refused.stream()
                .limit(SHOWN)
                .forEach(outcome ->
                        output.line("Refused for saga " + outcome.request().saga() + ", step "
                                + outcome.request().step() + ": " + TerminalText.escape(outcome.detail()) + "."));
        if (refused.size() > SHOWN) {
            output.line((refused.size() - SHOWN) + " more were refused.");
        }
        long pending = count(outcomes, RequestOutcome.State.PENDING);
        if (pending > 0) {
            output.line(pending + " requests are stored, but no engine has applied them yet.");
        }
    }

    private static long count(List<RequestOutcome> outcomes, RequestOutcome.State state) {
        return outcomes.stream().filter(outcome -> outcome.state() == state).count();
    }
}
