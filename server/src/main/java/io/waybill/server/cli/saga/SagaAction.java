package io.waybill.server.cli.saga;

import io.waybill.admin.DeadLetters.Decision;
import io.waybill.saga.admin.SagaActions;
import io.waybill.saga.admin.SagaRequest;
import io.waybill.saga.store.SagaSignal.Kind;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.DecisionOptions;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Requests an action for one saga, and waits until an engine has applied it. */
abstract class SagaAction extends Command {
    @Mixin
    private JsonOption json = new JsonOption();

    @Mixin
    private DecisionOptions decision = new DecisionOptions();

    @Mixin
    private AwaitedRequests requests = new AwaitedRequests();

    @Parameters(paramLabel = "SAGA", description = SagaShow.REFERENCE)
    @SuppressWarnings("NullAway.Init")
    private String reference;

    abstract Kind action();

    /** The step that the action is about; null if the saga says which one. */
    @Nullable
    String step() {
        return null;
    }

    /** The new data of the saga, as JSON; null to keep it. */
    @Nullable
    String data() {
        return null;
    }

    @Override
    protected final Set<String> settings() {
        return SagaAccess.SETTINGS;
    }

    @Override
    protected final Exit run() {
        Decision by = decision.decision();
        String data = data();
        SagaActions actions = SagaAccess.actions(database());
        SagaRequest request = actions.request(actions.find(reference), action(), step(), data, by.actor(), by.reason());
        return requests.print(actions, List.of(request), json.wanted(), output());
    }

    /** An action about a step that waits for a person. */
    abstract static class OnStep extends SagaAction {
        @Option(
                names = "--step",
                paramLabel = "STEP",
                description = "The step. Needed only if several steps wait for a person.")
        private @Nullable String step;

        @Override
        final @Nullable String step() {
            return step;
        }
    }

    @CommandLine.Command(
            name = "skip",
            description = {
                "Give up a step or a compensation that waits for a person.",
                "A skipped step after the pivot ends the saga as PARTIALLY_COMMITTED. A skipped compensation leaves the effect"
                        + " of its step (TAINTED), and the saga ends as FAILED."
            })
    static final class Skip extends OnStep {
        @Override
        Kind action() {
            return Kind.SKIP;
        }
    }

    @CommandLine.Command(
            name = "resolve",
            description =
                    "Mark a step or a compensation as done because a person did its work. The saga then continues.",
            footerHeading = "%nExample:%n",
            footer = {
                "  ./waybill sagas resolve place-order/order-42 --step take-payment --reason 'the provider confirms payment 77'"
            })
    static final class Resolve extends OnStep {
        private static final long LARGEST = 1 << 21;

        @Option(
                names = "--data",
                paramLabel = "FILE",
                description = "File with the new data of the saga, as JSON. By default, the data stays unchanged.")
        private @Nullable Path file;

        @Override
        Kind action() {
            return Kind.RESOLVE;
        }

        @Override
        @Nullable
        String data() {
            if (file == null) {
                return null;
            }
            Path path = context().workingFolder().resolve(file);
            try {
                if (Files.size(path) > LARGEST) {
                    throw Problem.usage("--data " + file + " has more than " + LARGEST + " bytes.");
                }
                return Files.readString(path);
            } catch (IOException e) {
                throw new Problem(Exit.USAGE, "Cannot read --data " + file + ": " + e, e);
            }
        }
    }

    @CommandLine.Command(
            name = "refuse",
            description =
                    "Mark the pivot, or a step before it, as failed without effect, now and later. The saga is then undone.")
    static final class Refuse extends OnStep {
        @Override
        Kind action() {
            return Kind.REFUSE;
        }
    }

    @CommandLine.Command(
            name = "cancel",
            description = "Stop a saga that has not reached its pivot, and undo its steps.")
    static class Cancel extends SagaAction {
        @Override
        final Kind action() {
            return Kind.CANCEL;
        }
    }

    @CommandLine.Command(
            name = "compensate",
            description = "The same as cancel: stop a saga that has not reached its pivot, and undo its steps.")
    static final class Compensate extends Cancel {}
}
